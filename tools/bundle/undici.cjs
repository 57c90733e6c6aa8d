"use strict"
// What the program uses of undici. Its index also brings fetch, mocks, caches and interceptors: half a megabyte that every
// start would read and evaluate. `undici-lib` is undici's own `lib`, see rolldown.config.ts.
const Agent = require("undici-lib/dispatcher/agent")
const Dispatcher = require("undici-lib/dispatcher/dispatcher")
const ProxyAgent = require("undici-lib/dispatcher/proxy-agent")

Object.assign(Dispatcher.prototype, { request: require("undici-lib/api/api-request") })

module.exports = { Agent, Dispatcher, ProxyAgent }
