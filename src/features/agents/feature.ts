import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Agents: 'Voice agents and text agents: their drafts, their published versions, and going back to an earlier one.',
    Voices: 'The voices that voice agents can have.',
    'AI Instructions': 'What a program that acts with a key should know at the beginning of a session.',
    'Voice Agent Templates': 'Templates of voice agents, each with a few questions.',
  },
  scopes: { 'voice-agents': ['read', 'write', 'delete'] },
  tables: {
    agent_versions: { restored: true },
    voice_agent_configs: {
      readers: ['phone:read'],
      hidden: { prompt: 'Too large for each change: GET /agents/:agent_id returns it', tool_scopes: 'Follows from the tools' },
      derived: { provider_version: 'The number of the published version at the voice provider' },
    },
  },
}
