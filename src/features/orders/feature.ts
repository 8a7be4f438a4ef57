import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Order Forms': 'Pages on which visitors order and pay: their products, taxes and payments.' },
  scopes: { websites: ['read', 'write'] },
  tables: {
    form_orders: { merges: { contact: { contact_id: 'orders' }, opportunity: { opportunity_id: 'orders' } }, purged: { buyer: null } },
    order_form_logs: {
      merges: { contact: { contact_id: 'orders' }, opportunity: { opportunity_id: 'orders' } },
      purged: { message: null },
    },
    order_forms: { readers: ['websites:read'] },
    payment_settings: {
      adminsOnly: true,
      readers: ['company:read'],
      hidden: { webhook_token: 'The last part of the address of the webhook, which GET /company/payment-settings shows' },
      secret: { secret_key: 'Moves money in the name of the workspace', webhook_secret: 'Verifies what the payment provider reports' },
    },
  },
}
