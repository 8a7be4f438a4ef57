/**
 * The secrets in FILE_SECRET, which commas separate. The first one signs; what the others have signed stays valid until they are removed.
 */
export const secretsIn = (text: string): string[] => text.split(',').map((secret) => secret.trim())

export const newestSecret = (text: string): string => secretsIn(text)[0] as string
