/** How the provider misbehaves, as its users report, with a label and an explanation for each. */
export const WHATSAPP_FAULTS = {
  no_qr: ['QR code never comes', 'A pairing begins, and no code follows.'],
  restless_qr: ['New QR code on every look', 'Each look invalidates the code that was shown.'],
  deaf: ['Connected, but reports nothing', 'No event leaves the provider.'],
  reconnect_loses_subscription: ['Reconnection loses the webhook', 'After a reconnection nothing is reported.'],
  logout_does_nothing: ['Logout does nothing', 'It reports success, and the phone stays connected.'],
  stays_closed: ['Connection stays closed', 'A lost connection does not come back.'],
} as const
export type WhatsAppFault = keyof typeof WHATSAPP_FAULTS
