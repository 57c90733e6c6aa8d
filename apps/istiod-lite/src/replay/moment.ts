/**
 * A moment as people write it: RFC 3339, a local date and time, or a local time of the day of `day`; epoch
 * milliseconds, undefined if it is none of them. A time without seconds is their first.
 */
export const parseMoment = (text: string, day: number): number | undefined => {
  const written = text.trim()
  const clock = /^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/.exec(written)
  if (clock !== null) {
    const [hour = 0, minute = 0, second = 0] = clock.slice(1, 4).map(Number)
    if (hour > 23 || minute > 59 || second > 59) return undefined
    return new Date(day).setHours(hour, minute, second || 0, Number((clock[4] ?? "0").padEnd(3, "0")))
  }
  const time = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** `2026-11-30 14:03:02.120`, in local time. */
export const momentText = (time: number): string => {
  const date = new Date(time)
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
  return `${day} ${clock}.${pad(date.getMilliseconds(), 3)}`
}

const pad = (number: number, length = 2): string => String(number).padStart(length, "0")
