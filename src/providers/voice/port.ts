/** The agents of a number, by their ids at the voice provider. */
export type NumberAgents = { phone_number: string; inbound: string | null; outbound: string | null }

export type VoiceProvider = {
  /** Lets these agents answer and make the calls of a number. It may be repeated. Throws unless the provider has accepted it. */
  setAgents(number: NumberAgents): Promise<void>
}

/** The voice provider of the deployment. `trunk`: the SIP trunk at the provider of phone numbers that leads to it. */
export type Voice = { provider: VoiceProvider; trunk: string }
