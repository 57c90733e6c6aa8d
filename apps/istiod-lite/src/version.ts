import manifest from "../package.json" with { type: "json" }

/** What `--version` prints, with the Node that runs it: the launcher may have chosen another than the shell's. */
export const version = `${manifest.version} (node ${process.version})`
