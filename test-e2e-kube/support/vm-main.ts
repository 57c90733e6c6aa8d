/** What runs on a virtual machine: an application, and an agent that does what it is told on standard input. */
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import { connectMachine, type Machine } from "./machine.ts"

const [address = "", port = "0", gateway = ""] = process.argv.slice(2)

createServer((_, response) => response.end(address)).listen(Number(port), address)

let agent: Machine | undefined
const [connect, report] = ["connect", "report"]
createInterface({ input: process.stdin }).on("line", (line) => {
  const [what, ...words] = JSON.parse(line) as ReadonlyArray<string | number>
  if (what === connect) {
    const [xdsPort, token, group] = words
    agent = connectMachine({
      host: gateway,
      port: Number(xdsPort),
      address,
      token: String(token),
      group: String(group),
      checksHealth: true
    })
    agent.ask("outbound|80||nothing.shop.internal")
  } else if (what === report) {
    agent?.report(words[0] === undefined ? undefined : String(words[0]))
  }
})
