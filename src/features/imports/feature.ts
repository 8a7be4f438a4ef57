import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Imports: 'Imports of CSV files: upload, mapping, check, run and undo.' },
  scopes: { imports: ['read', 'write', 'delete'] },
  tables: {
    imports: {
      readers: ['imports:read'],
      hidden: {
        run_key_id: 'The key whose authority the import has; the change of its state names the same key',
        run_approval_id: 'The approval with which it was started; the change of its state has it as its cause',
        undo_id: 'The request id of the changes that the undo makes',
        skip_automations: 'An option of the request that started the import',
      },
      // Its file is removed with it.
      restored: false,
    },
  },
  events: ['import.checked', 'import.failed', 'import.finished', 'import.undone'],
}
