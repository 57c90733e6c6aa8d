import { assert, describe, it } from "@effect/vitest"
import { portError } from "./admin-error.ts"

const message = (text: string) => portError("xDS", "127.0.0.1:80", "--xds-port", text).message

describe("portError", () => {
  it("says in words why a port cannot be listened on, and which flag helps", () => {
    assert.strictEqual(
      message("listen EACCES: permission denied 127.0.0.1:80"),
      "Cannot listen for xDS on 127.0.0.1:80: low ports need a privilege. Choose a higher port with --xds-port (0 takes a free one)."
    )
    assert.match(message("listen EADDRINUSE"), /another program uses the port.*--xds-port/)
    assert.match(message("listen EADDRNOTAVAIL"), /no such address.*--listen/)
    assert.match(message("something else"), /something else\. See --xds-port and --listen\.$/)
  })
})
