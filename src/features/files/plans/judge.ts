import { fileTypeFromBuffer } from 'file-type'
import { ALLOWED } from '../../../domain/file-names.ts'
import { type FileType, TypeFinder } from '../../../domain/file-types.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Inspector, Readable } from '../../../providers/files/port.ts'
import { refusalOf } from '../rules/file-safety.ts'

/** The types as file-type names them, where its name differs. It sees no more than an archive in what it does not look into. */
const ALSO: Partial<Record<FileType, readonly string[]>> = {
  docx: ['zip'],
  xlsx: ['zip'],
  pptx: ['zip'],
  mp4: ['m4v', 'm4a', 'mov', '3gp'],
  txt: ['vcf', 'ics', 'vtt', 'srt'],
}
/** How much of a file its signatures are looked for in. */
export const HEAD = 65_536

/**
 * Decides the type of a file by its bytes, for everything that is uploaded. Of two lists of signatures neither may contradict: ours, which
 * is short, and that of file-type, which knows the executables and archives that ours does not. `isWhole`: a PDF must have its end.
 */
export function inspectorOf<Out = FileType>(isWhole: boolean, then: (type: FileType, file: Readable) => Promise<Out>): Inspector<Out> {
  const finder = new TypeFinder()
  return {
    add: (chunk) => finder.add(chunk),
    async judge(file) {
      const type = await finder.find(file.name, file)
      const found = await fileTypeFromBuffer(await file.read({ offset: 0, length: Math.min(HEAD, file.size) }))
      const agrees = type && (!found || found.ext === type || ALSO[type]?.includes(found.ext))
      if (!type || !agrees) throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Accepted file types: ${ALLOWED.join(', ')}`, { allowed: ALLOWED })
      const refusal = await refusalOf(type, file, isWhole)
      if (refusal) throw invalid([{ path: 'file', message: refusal }])
      return then(type, file)
    },
  }
}
