import { AGENCY_FIELDS } from './agency-descriptions.ts'
import { AGENT_FIELDS } from './agent-descriptions.ts'
import { GROWTH_FIELDS } from './growth-descriptions.ts'
import { NOTE_FIELDS } from './note-descriptions.ts'

/** Descriptions of the named schemas of documents, files and order forms. */
export const DOCUMENT_SCHEMAS: Record<string, string> = {
  Document: 'A document of the workspace, with its folder, its file and the records that it is about.',
  DocumentTemplate: 'A template from which documents are made.',
  DocumentTemplateDetails: 'A template with its sections in order.',
  DocumentTemplateSection: 'A section of a template: its type, and the content that this type has.',
  ExportPreview: 'The headers and the first rows of an export.',
  ExportTemplate: 'What an export contains: its columns, its filter, its order and its format.',
  ExportView: 'What a member exports with a template instead of its own columns, filter or order.',
  File: 'A file of the workspace: a document, an image or a confidential file.',
  PublicImage: 'An image that a visitor has uploaded.',
  OrderForm: 'A page on which visitors order and pay: its products, its fields and its texts.',
  OrderFormLog: 'Something that happened to a payment of an order form.',
  PaymentSettings: 'The account of the workspace at the payment provider.',
  SupplierCatalogEntry: 'What a supplier charges for a product, from when to when, and from which quantity on.',
  SupplierOffer: 'A price of a supplier that is valid for a quantity on a day.',
  Whiteboard: 'A drawing board, without its content.',
  WhiteboardDetails: 'A drawing board with its content.',
  WhiteboardElement: 'An element of a drawing: whole, as the editor has it, or only what matters of it.',
  WhiteboardVersion: 'A content of a board that was replaced.',
}

/** Descriptions of their fields (see FIELDS). */
export const DOCUMENT_FIELDS: Record<string, string> = {
  ...AGENT_FIELDS,
  ...NOTE_FIELDS,
  ...AGENCY_FIELDS,
  ...GROWTH_FIELDS,
  folder: 'The folder of the document; null for none.',
  documents: 'The documents.',
  document_type: 'What kind of document it is.',
  prices_include_tax: 'Whether the prices of the items include their tax.',
  contact_fields: 'What the page asks of the visitor beside name and email address.',
  success_message: 'What the page shows after the payment.',
  redirect_url: 'Where the visitor goes after the payment instead.',
  quantity_min: 'The fewest that can be ordered; 0 for an item that can be left out.',
  quantity_max: 'The most that can be ordered.',
  tax_rate: 'The tax on the price, in percent.',
  supplier_price: 'What the supplier charges for one.',
  supplier_sku: 'What the supplier calls the product.',
  min_quantity: 'The smallest quantity at this price.',
  lead_time_days: 'The days until the supplier delivers.',
  valid_from: 'The first day on which the price is valid; null without a beginning.',
  valid_to: 'The last day on which the price is valid; null without an end.',
  is_preferred: 'Whether it is the preferred supplier of the product.',
  is_cheapest: 'Whether no other supplier is cheaper.',
}
