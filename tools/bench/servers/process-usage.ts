import { readFileSync } from "node:fs"

/** Memory of a process in MiB: what it has now (VmRSS), or has had at most (VmHWM). */
export const memoryMib = (pid: number, field: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

/** CPU seconds that a process has used, its own and the kernel's for it; counted in hundredths. */
export const cpuSeconds = (pid: number): number => {
  const [utime, stime] =
    readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? []
  return (Number(utime) + Number(stime)) / 100
}
