/** Descriptions of the named schemas of agents. */
export const AGENT_SCHEMAS: Record<string, string> = {
  Agent: 'An agent: its draft without the prompt, and which version is published.',
  AgentDetails: 'An agent with its draft, and which version is published.',
  AgentVersion: 'A version of an agent, which never changes.',
  Transcript: 'A recording that is transcribed, without what was said.',
  TranscriptDetails: 'A recording with what was said.',
  TranscriptCoaching: 'Figures about a conversation, with quotes from it.',
  AiInstructions: 'What a program that acts with a key should know.',
  VoiceOption: 'A voice that voice agents can have.',
  VoiceOptions: 'The voices that match.',
  VoiceAgentTemplate: 'A template of voice agents.',
  VoiceAgentTemplateQuestion: 'A question that is asked before an agent is made of a template.',
  AgentCreatedFromTemplate: 'The agent that was made, what was left out, and what to do next.',
}

/** Descriptions of their fields (see FIELDS). */
export const AGENT_FIELDS: Record<string, string> = {
  agent: 'The agent.',
  audio_url: 'The address of the recording.',
  speaker: 'Who speaks: speakers are numbered in the order in which they first speak.',
}
