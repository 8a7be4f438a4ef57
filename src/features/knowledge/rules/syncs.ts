/** What a synchronisation has done to the entries of its source. */
export type SyncOutcome = { added: number; updated: number; unchanged: number; removed: number; synced_at: string }
/** By the source of the entries. */
export type LastSyncs = { help_center?: SyncOutcome; product?: SyncOutcome }

/** A text that a source has now, with what the source knows it by. */
export type SourceText = { key: string; title: string; text: string; url: string | null }

/** The most articles of a help centre, and how many can be chosen by their ids. */
export const MAX_ARTICLES = 2_000
export const MAX_CHOSEN = 50
/** The most products of a catalogue. */
export const MAX_PRODUCTS = 2_000

/** A product as a text that answers questions about it. */
export type CatalogProduct = {
  id: string
  name: string
  sku: string | null
  category: string | null
  description: string | null
  price: number
  currency: string
  unit: string | null
}

export function productText({ id, name, sku, category, description, price, currency, unit }: CatalogProduct): SourceText {
  const facts = [
    sku !== null && `- SKU: ${sku}`,
    category !== null && `- Category: ${category}`,
    `- Price: ${price.toFixed(2)} ${currency}${unit === null ? '' : ` per ${unit}`}`,
  ].filter((fact) => fact !== false)
  return { key: id, title: name, text: [facts.join('\n'), description ?? ''].join('\n\n').trim(), url: null }
}
