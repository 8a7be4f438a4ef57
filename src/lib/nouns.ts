/** `stakeholder_type` → `StakeholderType`, for an operationId. */
export const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `stakeholder_type` → `stakeholder type`, `api_key` → `API key`, for a sentence. */
export const spoken = (name: string): string => name.replaceAll('_', ' ').replace(/\bapi\b/, 'API')

/** Nouns that have no indefinite article, with what can be counted of them. */
const UNCOUNTABLE: Record<string, string> = { 'time off': 'a period of time off' }

/** The noun with its indefinite article: `an invoice`, `a user`, `a period of time off`. */
export const withArticle = (noun: string): string => UNCOUNTABLE[noun] ?? `${/^[aeioAEIO]/.test(noun) ? 'an' : 'a'} ${noun}`
