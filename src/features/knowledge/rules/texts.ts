/** Text that can be stored. */
export const clean = (text: string) => text.replaceAll('\0', '').toWellFormed()

/** A title of one line. */
export const titleOf = (title: string) =>
  clean(title.slice(0, 1_000).replace(/\s+/g, ' ').trim()).slice(0, 300).toWellFormed() || 'Untitled'
