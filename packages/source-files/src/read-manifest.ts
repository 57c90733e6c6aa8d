import { concatReadings, readDocument, type Reading } from "./read-document.ts"
import { splitDocuments } from "./split-documents.ts"

/** A file's reading, with those of its documents by their text: an edit parses again only what it touched. */
export interface ManifestReading extends Reading {
  readonly documents: ReadonlyMap<string, Reading>
}

/** Reads a manifest file; lines are the file's. `previous` is the reading of the same file before, if there was one. */
export const readManifest = (text: string, previous?: ManifestReading): ManifestReading => {
  const documents = new Map<string, Reading>()
  const readings = splitDocuments(text).map((chunk) => {
    const known = documents.get(chunk.text) ?? previous?.documents.get(chunk.text) ?? readDocument(chunk.text)
    documents.set(chunk.text, known)
    return shift(known, chunk.line - 1)
  })
  return { ...concatReadings(readings), documents }
}

const shift = (reading: Reading, lines: number): Reading => ({
  ...reading,
  objects: reading.objects.map((it) => ({ ...it, line: it.line + lines })),
  faults: reading.faults.map((it) => ({ ...it, line: it.line + lines }))
})
