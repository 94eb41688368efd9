import path from 'node:path';
import { unzipSync } from 'fflate';

/** Bytes the code of a function may have once it is unpacked. */
const MOST_BYTES = 262_144_000;

/** The files in an archive, or why it cannot be one of code. */
export type Unpacked =
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, Uint8Array>> }
  | { readonly kind: 'problem'; readonly rule: string };

/**
 * Unpacks a `.zip` as Lambda does with one it is given.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
export function unpack(archive: Uint8Array): Unpacked {
  let bytes = 0;
  try {
    const files = unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        bytes += originalSize;
        return bytes < MOST_BYTES && !name.endsWith('/');
      },
    });
    if (bytes >= MOST_BYTES) return problem(`is refused (Unzipped size must be smaller than ${MOST_BYTES} bytes)`);
    const outside = Object.keys(files).find(leadsOutside);
    return outside === undefined ? { kind: 'files', files } : problem(`must not lead out of its folder: ${outside}`);
  } catch (error) {
    return problem(`must be a zip archive (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** Whether a name in an archive names something elsewhere on this machine. */
function leadsOutside(name: string): boolean {
  return path.isAbsolute(name) || name.split(/[\\/]/).includes('..');
}

const problem = (rule: string): Unpacked => ({ kind: 'problem', rule });
