/*
  The language of emails to contacts: `{{first_name}}`, or `{{first_name | there}}`, where what follows the bar is shown without a value.
  Campaigns and email templates use it; which tags they know differs.
*/
const TAG = /\{\{([^{}|]*)(?:\|([^{}]*))?\}\}/g

/** The tags about the person who gets the email. */
export const PERSON_TAGS = ['first_name', 'last_name', 'email', 'company_name'] as const
export type Person = Record<(typeof PERSON_TAGS)[number], string | null>

/** Replaces the merge tags of a template by their values; `encode` makes a value safe for where it is inserted. */
export const renderTags = (
  template: string,
  values: Partial<Record<string, string | null>>,
  encode: (value: string) => string = (value) => value,
): string =>
  template.replace(TAG, (_, tag: string, fallback = '') => {
    const name = tag.trim()
    return encode((Object.hasOwn(values, name) && values[name]) || fallback.trim())
  })

export const tagsIn = (template: string): string[] => [...template.matchAll(TAG)].map(([, name = '']) => name.trim())

export const withoutTags = (template: string): string => template.replace(TAG, '')

/** The tags of a template that are not among the known ones. */
export const unknownTags = (template: string, known: readonly string[]): string[] =>
  [...new Set(tagsIn(template))].filter((name) => !known.includes(name))

/** The tags that are shown as nothing, because they have neither a value nor a fallback. */
export const emptyTags = (template: string, values: Partial<Record<string, string | null>>): string[] => [
  ...new Set(
    [...template.matchAll(TAG)].flatMap(([, name = '', fallback = '']) => (values[name.trim()] || fallback.trim() ? [] : [name.trim()])),
  ),
]

/** A text on one line, so that no header can follow it. */
export const onOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
