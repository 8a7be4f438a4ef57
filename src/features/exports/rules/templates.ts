/** The formats of the file that a template produces. */
export const EXPORT_FORMATS = ['xlsx', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A column of a file: the path of its value, and its header if that is not the usual one. */
export type ExportColumn = { path: string; label: string | null }

/** What a template or a view says about a file. */
export type ExportDefinition = {
  columns: ExportColumn[]
  filters: Record<string, unknown> | null
  sort: string | null
}

/** The most columns of a file. */
export const MAX_COLUMNS = 200
/** The most views that a member has of a template. */
export const MAX_VIEWS = 100
/** The number of rows in a preview. */
export const PREVIEW_ROWS = 10
/** The most related records whose values a cell lists. */
export const MAX_LISTED_VALUES = 100

/** The definition with the parts that others replace; the last that has a part decides. */
export function withParts(definition: ExportDefinition, ...others: (Partial<ExportDefinition> | undefined)[]): ExportDefinition {
  const last = <Key extends keyof ExportDefinition>(key: Key): ExportDefinition[Key] =>
    others.reduce<ExportDefinition[Key]>((value, other) => (other?.[key] ?? value) as ExportDefinition[Key], definition[key])
  return { columns: last('columns'), filters: last('filters'), sort: last('sort') }
}
