/** Where the text of an entry comes from. */
export const ENTRY_SOURCES = ['text', 'url', 'file', 'help_center', 'product'] as const
/** `pending`: it cannot be found yet. `failed`: its text could not be turned into vectors in several tries. */
export const ENTRY_STATUSES = ['pending', 'ready', 'failed'] as const

/** The most characters of an entry's text, and the most entries of a base. */
export const MAX_ENTRY_TEXT = 200_000
export const MAX_ENTRIES = 5_000
/** The most pages that are imported with a base of the voice provider. */
export const MAX_IMPORTED = 500
/** The most bytes of a file, and the most pages of a PDF. */
export const MAX_FILE_BYTES = 10 * 1024 ** 2
export const MAX_PDF_PAGES = 500
/** The seconds after which a failed attempt is repeated. */
export const ENTRY_WAITS = [60, 300, 1_800, 7_200]
/** The seconds that a request has before the background takes over. */
export const REQUEST_SECONDS = 90
/** Whether the copy of a base at the voice provider is what it should be. */
export const COPY_STATUSES = ['pending', 'ready', 'failed'] as const
/** What an agent is called where knowledge is attached to it: a `workflow` is a text agent. */
export const AGENT_KINDS = { voice: 'voice', workflow: 'text' } as const

/** Two addresses with the same key are one page: the part after # is within it. */
export function pageKey(url: string): string {
  const address = new URL(url)
  address.hash = ''
  return address.href
}

/** What a copy is called at the voice provider, whose names have less than 40 characters: by it one whose response was lost is found. */
export const copyName = (copyId: string) => `crm ${copyId.replaceAll('-', '')}`
