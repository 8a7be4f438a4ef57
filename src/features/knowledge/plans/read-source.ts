import { createHash } from 'node:crypto'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import type { Embedder } from '../../../providers/models/embed-port.ts'
import { readPage } from '../provider/pages.ts'
import { type EntryOutcome, type EntryWork, indexEntry, isIndexed } from './index-entry.ts'

/** An entry with what it comes from. */
export type SourceWork = EntryWork & { source: string; url: string | null; etag: string | null; source_sha256: string | null }
export type Reading = { embedder: Embedder; http: OutsideHttp }

/** Whether a text comes from a page that can be read again. */
const hasPage = <W extends SourceWork>(work: W): work is W & { url: string } => work.source === 'url' && work.url !== null

/**
 * Indexes a text that has changed here; otherwise reads its page again. What is there stays when that fails. Never throws for a failure.
 */
export async function refreshEntry(reading: Reading, work: SourceWork): Promise<EntryOutcome> {
  if (!hasPage(work) || (work.text !== '' && !isIndexed(reading.embedder, work))) return indexEntry(reading.embedder, work)
  return readEntry(reading, work)
}

/**
 * Reads the page of an entry, and indexes its text if the page has changed since it was read last. If it has not, the text that there is
 * may still wait to be indexed.
 */
export async function readEntry({ embedder, http }: Reading, work: SourceWork & { url: string }): Promise<EntryOutcome> {
  const page = await readPage(http, work.url, work.text === '' ? null : work.etag)
  if (page.outcome === 'failed') return { error: page.reason, isFinal: page.isFinal }
  const asItIs = () => (work.text === '' || isIndexed(embedder, work) ? {} : indexEntry(embedder, work))
  if (page.outcome === 'unchanged') return asItIs()
  const source_sha256 = digestOf(page.title, page.text)
  if (source_sha256 === work.source_sha256) return asItIs()
  const { entry, ...outcome } = await indexEntry(embedder, { ...work, title: page.title, text: page.text })
  return { ...outcome, ...(entry && { entry: { ...entry, etag: page.etag, source_sha256 } }) }
}

/** What a change of a source is known by. */
export const digestOf = (title: string, text: string) => createHash('sha256').update(`${title}\n${text}`).digest('hex')
