import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  Currency,
  describe,
  Enum,
  Id,
  InstantOut,
  Integer,
  Multiline,
  Name,
  optional,
  Percent,
  pageQuery,
  QueryBool,
  Url,
} from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { CONTACT_FIELDS, ORDER_EVENTS, ORDER_STATUSES } from '../rules/types.ts'

/** The largest amount that the payment provider charges at once. */
export const MOST_CHARGED = 999_999.99
const MOST_ITEMS = 50
const MOST_OF_ONE = 9_999

const Price = v.pipe(
  v.number('must be a number, such as 49.5'),
  v.minValue(0, 'must be 0 or more'),
  v.maxValue(MOST_CHARGED, `must be ${MOST_CHARGED} or less, which is the most that can be charged at once`),
  v.check((value) => /^-?\d+(?:\.\d{1,2})?$/.test(String(value)), 'must have at most two decimals, such as 49.5'),
  v.description('The price of one piece. Defaults to that of the product.'),
  v.examples([49.5]),
)

const OrderItem = v.pipe(
  v.strictObject({
    product_id: v.optional(v.nullable(describe(Id, 'The product, from which what is not sent is copied.'))),
    label: v.optional(describe(Name(200), 'What the page shows. Defaults to the name of the product.', 'Site inspection')),
    unit_price: v.optional(Price),
    quantity_min: v.optional(describe(Integer(0, MOST_OF_ONE), 'The least quantity; 0: the visitor may leave it out.', 0), 0),
    quantity_max: v.optional(describe(Integer(1, MOST_OF_ONE), 'The greatest quantity.', 10), 1),
    tax_rate: v.optional(describe(Percent, 'The tax in percent. Defaults to that of the product.', 10)),
  }),
  v.forward(
    v.check(({ product_id, label }) => Boolean(product_id || label), 'Required, because there is no product_id'),
    ['label'],
  ),
  v.forward(
    v.check(({ product_id, unit_price }) => Boolean(product_id) || unit_price !== undefined, 'Required, because there is no product_id'),
    ['unit_price'],
  ),
  v.forward(
    v.check(({ quantity_min, quantity_max }) => quantity_min <= quantity_max, 'must not be less than quantity_min'),
    ['quantity_max'],
  ),
)

const ContactField = v.strictObject({
  field: describe(
    v.picklist(CONTACT_FIELDS, `must be one of: ${CONTACT_FIELDS.join(', ')}`),
    'The detail that the page requests.',
    'phone',
  ),
  required: v.optional(describe(Bool, 'Whether it must be given.', true), false),
})

export const FormSlug = v.pipe(
  v.string('must be text: a slug, such as site-inspection'),
  v.trim(),
  v.toLowerCase(),
  v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case letters, digits and single hyphens between them, such as site-inspection'),
  v.maxLength(80, 'must be at most 80 characters long'),
  v.description('The last part of the page’s address, `/order/<slug>`; unique among all workspaces. Derived from the name by default.'),
  v.examples(['site-inspection']),
)

const formFields = {
  name: describe(Name(120), 'The name of the form, which is the heading of its page.', 'Book a site inspection'),
  slug: v.optional(FormSlug),
  description: optional(describe(Multiline(5_000), 'What the page says before the products.', 'We come within a week.')),
  is_active: v.optional(describe(Bool, 'Whether the page can be opened. True by default.', true)),
  currency: v.optional(describe(Currency, 'The currency of all prices of the form.', 'AUD')),
  prices_include_tax: v.optional(describe(Bool, 'Whether the prices include the tax. False by default.', true)),
  items: v.pipe(
    v.array(OrderItem, 'must be a list of items'),
    v.minLength(1, 'must have at least one item'),
    v.maxLength(MOST_ITEMS, `must be at most ${MOST_ITEMS} items`),
    v.description(`What can be ordered: 1 to ${MOST_ITEMS} items.`),
    v.examples([[{ label: 'Site inspection', unit_price: 49.5, quantity_min: 0, quantity_max: 10, tax_rate: 10 }]]),
  ),
  contact_fields: v.optional(
    v.pipe(
      v.array(ContactField, 'must be a list of fields'),
      v.maxLength(CONTACT_FIELDS.length, `must be at most ${CONTACT_FIELDS.length} fields`),
      v.check((fields) => new Set(fields.map(({ field }) => field)).size === fields.length, 'must name each field once'),
      v.description('What the page asks for, beside the name and the email address.'),
      v.examples([[{ field: 'phone', required: true }]]),
    ),
  ),
  success_message: optional(describe(Multiline(2_000), 'What the page says after the payment.', 'Thank you! We call you today.')),
  redirect_url: v.optional(v.nullable(describe(Url, 'Where the buyer is sent after the payment, instead of to a page of this service.'))),
  pipeline_id: v.optional(v.nullable(describe(Id, 'The pipeline of the opportunities; null: the default one.'))),
}

export const NewOrderForm = v.strictObject(formFields)
export type NewOrderForm = v.InferOutput<typeof NewOrderForm>
export const OrderFormPatch = v.partial(NewOrderForm)
export type OrderFormPatch = v.InferOutput<typeof OrderFormPatch>
export const orderFormFilters = { is_active: v.optional(QueryBool) }

const count = v.pipe(v.number(), v.integer())
const itemOut = v.object({
  product_id: v.nullable(Id),
  label: v.string(),
  unit_price: moneyOut,
  quantity_min: count,
  quantity_max: count,
  tax_rate: v.number(),
})
export const OrderForm = named(
  'OrderForm',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.pipe(v.string(), v.description('The page is at `/order/<slug>`.')),
    description: v.nullable(v.string()),
    is_active: v.boolean(),
    currency: v.string(),
    prices_include_tax: v.boolean(),
    items: v.pipe(v.array(itemOut), v.description('What can be ordered on the page.')),
    contact_fields: v.array(v.object({ field: Enum(CONTACT_FIELDS), required: v.boolean() })),
    success_message: v.nullable(v.string()),
    redirect_url: v.nullable(v.string()),
    pipeline_id: v.nullable(Id),
    ...timestamps,
  }),
)

export const logsQuery = v.strictObject({
  ...pageQuery,
  event: v.optional(Enum(ORDER_EVENTS)),
  order_id: v.optional(describe(Id, 'Of this order.')),
})
export const OrderFormLog = named(
  'OrderFormLog',
  v.object({
    id: Id,
    order_id: v.pipe(Id, v.description('The order; all entries of one order have the same.')),
    order_status: v.pipe(Enum(ORDER_STATUSES), v.description('What the order is now.')),
    event: Enum(ORDER_EVENTS),
    amount: v.pipe(v.nullable(moneyOut), v.description('The amount that it is about.')),
    currency: v.string(),
    message: v.pipe(v.nullable(v.string()), v.description('What the payment provider says about it.')),
    provider_id: v.pipe(v.nullable(v.string()), v.description('The payment provider’s id of the checkout, payment, refund or dispute.')),
    contact_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    created_at: InstantOut,
  }),
)

const secretOf = (form: RegExp, what: string, example: string, description: string) =>
  v.pipe(
    v.string(`must be text: ${what}`),
    v.trim(),
    v.regex(form, `must be ${what}`),
    v.maxLength(300, 'must be at most 300 characters long'),
    v.description(description),
    v.examples([example]),
  )
const SecretKey = secretOf(
  /^(sk|rk)_(test|live)_\w{8,}$/,
  'a secret or restricted key of Stripe, which begins with sk_test_, sk_live_, rk_test_ or rk_live_',
  'sk_test_51ExampleExample',
  'The secret key of the workspace’s Stripe account. It is stored encrypted and never returned.',
)
const WebhookSecret = secretOf(
  /^whsec_[\w+/=]{8,}$/,
  'the signing secret of a webhook of Stripe, which begins with whsec_',
  'whsec_ExampleExample',
  'The signing secret of the webhook that was made at Stripe for `webhook_url`. It is stored encrypted and never returned.',
)
export const PaymentSettingsPatch = v.strictObject({
  secret_key: v.optional(SecretKey),
  webhook_secret: v.optional(v.nullable(WebhookSecret)),
})
export type PaymentSettingsPatch = v.InferOutput<typeof PaymentSettingsPatch>

export const PaymentSettings = named(
  'PaymentSettings',
  v.object({
    id: v.pipe(v.nullable(Id), v.description('Null without an account.')),
    is_connected: v.pipe(v.boolean(), v.description('Whether there is a secret key, so that pages can charge.')),
    is_live: v.pipe(v.nullable(v.boolean()), v.description('Whether the key moves real money; null without one.')),
    secret_key_hint: v.pipe(v.nullable(v.string()), v.description('The beginning and the end of the key.')),
    has_webhook_secret: v.pipe(
      v.boolean(),
      v.description('Whether reports of the provider can be verified. Without it no payment is noticed.'),
    ),
    webhook_url: v.pipe(
      v.nullable(v.string()),
      v.description('The address for a webhook at Stripe. It shows which workspace a report is for, and the signature proves it.'),
    ),
    webhook_events: v.pipe(v.array(v.string()), v.description('The events that the webhook needs.')),
    version: v.pipe(v.number(), v.integer(), v.description('The version, which is also the ETag; 0 without an account.')),
  }),
)
/** The columns that events of the settings carry. */
export const PaymentSettingRow = v.object({ id: Id, secret_key_hint: v.string(), ...timestamps })
