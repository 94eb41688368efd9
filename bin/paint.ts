import { createColors } from 'picocolors';

/** How text is made to stand out, where a terminal can. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>>;

/** For files, pipes and tests. */
export const plainPaint: Paint = createColors(false);

/** @param coloured whether a person is looking at it in a terminal */
export function paintFor(coloured: boolean): Paint {
  return createColors(coloured);
}
