/** The languages of the pages for people without a key. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof LANGUAGES

const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text)

/** The language of a page: the one that was chosen, or else the first of Accept-Language (RFC 9110, without weights) that there is. */
export function languageOf(chosen: string | undefined, accepted: string | null): Language {
  const wanted = [chosen ?? '', ...(accepted ?? '').slice(0, 200).split(',')].map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return wanted.find(isLanguage) ?? 'en'
}
