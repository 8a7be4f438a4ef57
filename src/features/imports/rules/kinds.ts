/** How a cell is parsed. The database resolves a `reference`, under `to`. */
export const KINDS = [
  'id',
  'text',
  'lines',
  'phone',
  'email',
  'emails',
  'phones',
  'consent',
  'birthday',
  'web_address',
  'domains',
  'number',
  'date',
  'moment',
  'instant',
  'boolean',
  'option',
  'options',
  'list',
  'tags',
  'full_name',
  'reference',
  'json',
  'line_items',
] as const
export type Kind = (typeof KINDS)[number]
/** Kinds of lists, which several columns of a file may fill together. */
export const LISTS: readonly Kind[] = ['emails', 'phones', 'domains', 'list', 'tags']
export type Referred = 'company' | 'contact' | 'opportunity' | 'member' | 'lead_source' | 'pipeline' | 'stage' | 'product'
export type Field = {
  name: string
  kind: Kind
  /** Alternative column names, squashed (see names.ts). */
  also: string[]
  options?: readonly string[]
  /** The most characters of a custom field whose text may be cut. */
  max?: number
  /** For a reference: the referenced object, and the field that receives the id. */
  to?: Referred
  becomes?: string
  /** The field that receives the ids of a new record if a line refers to several. */
  all?: string
  /** Whether the records become links of the line's record, which it may have several of. */
  links?: true
  /** What may separate several values in one cell. */
  between?: RegExp
  /** The field that gets further values, if the object has it. */
  spill?: string
}

export const CUSTOM = 'metadata.'
