/** Reduces a header to its letters and digits, for comparison. */
export const squash = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Whether a text refers to a record by its id in some system: a UUID, a number, or what Salesforce and Zoho write. */
export const looksLikeId = (text: string): boolean =>
  /^(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|zcrm_\d+|00[0-9a-z]\w{12}(?:\w{3})?)$/i.test(text)
