import { storableText } from '../../../lib/text.ts'

export { storableText as clean }

/** A title of one line. */
export const titleOf = (title: string) =>
  storableText(title.slice(0, 1_000).replace(/\s+/g, ' ').trim()).slice(0, 300).toWellFormed() || 'Untitled'
