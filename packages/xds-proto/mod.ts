export {} from "./src/placeholder.ts"
