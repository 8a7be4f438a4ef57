import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint } from '../settings.ts'
import type { Note } from './report.ts'
import { FILES, type FileName } from './sales.ts'

export type Texts = Record<FileName, string>

/** The texts of the data set's files. */
export function readFolder(folder: string): { texts: Texts; notes: Note[] } {
  if (!existsSync(folder)) throw new Complaint(`There is no folder ${folder}.`)
  if (!statSync(folder).isDirectory()) throw new Complaint(`${folder} is not a folder.`)
  const names = Object.keys(FILES) as FileName[]
  const there = readdirSync(folder)
  const missing = names.filter((name) => !there.includes(name))
  if (missing.length > 0) throw new Complaint(`${folder} has no ${missing.join(', ')}: the import needs ${names.join(', ')}.`)
  const notes: Note[] = []
  return { texts: Object.fromEntries(names.map((name) => [name, textOf(folder, name, notes)])) as Texts, notes }
}

/** Exports that are not UTF-8 mostly come from Windows. */
function textOf(folder: string, name: string, notes: Note[]): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(join(folder, name))
  } catch (error) {
    throw new Complaint(`${join(folder, name)} can't be read: ${(error as Error).message}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    notes.push({ file: name, line: 1, field: '', done: 'mended', why: 'not UTF-8: read as Windows-1252' })
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
