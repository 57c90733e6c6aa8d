/** A real program could not be had. The message says what was tried and what to do; `output` is what the tool printed. */
export class ProgramError extends Error {
  override readonly name = "ProgramError"
  readonly output: string

  constructor(message: string, output: string) {
    super(output === "" ? message : `${message}\n${output.trim()}`)
    this.output = output
  }
}
