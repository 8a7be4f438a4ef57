/** Providers of voice agents whose requests can be recognised. */
export const VOICE_PROVIDERS = ['retell', 'vapi'] as const
export type VoiceProvider = (typeof VOICE_PROVIDERS)[number]
