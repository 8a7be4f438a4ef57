/** `stakeholder_type` → `StakeholderType`, for an operationId. */
export const pascal = (name: string): string => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `stakeholder_type` → `stakeholder type`, `api_key` → `API key`, for a sentence. */
export const spoken = (name: string): string => name.replaceAll('_', ' ').replace(/\bapi\b/, 'API')

/** The noun with its indefinite article: `an invoice`, `a user`. */
export const withArticle = (noun: string): string => `${/^[aeioAEIO]/.test(noun) ? 'an' : 'a'} ${noun}`
