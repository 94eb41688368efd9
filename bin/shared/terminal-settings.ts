/** When output is highlighted. */
export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof COLOR_CHOICES)[number];

type Environment = Readonly<Partial<Record<string, string>>>;

/** The width of a text that a user can still read. */
const NARROWEST = 20;

/** Whether a terminal understands control sequences. `TERM=dumb` is a terminal that does not, such as that of an editor. */
export function isDrawn(isTTY: boolean, { TERM }: Environment): boolean {
  return isTTY && TERM !== 'dumb';
}

/**
 * Whether output is highlighted. The option decides, then NO_COLOR, then FORCE_COLOR, then what the output is.
 * @see https://no-color.org
 * @see https://force-color.org
 */
export function hasColor(choice: ColorChoice, isTTY: boolean, environment: Environment): boolean {
  if (choice !== 'auto') return choice === 'always';
  const { NO_COLOR, FORCE_COLOR } = environment;
  if (NO_COLOR) return false;
  // `0` is not in the convention, but Node and chalk read it like this.
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isDrawn(isTTY, environment);
}

/** The width of output: COLUMNS, for pipes too, or that of the terminal. Undefined if it is unlimited. */
export function widthOf(terminalColumns: number | undefined, { COLUMNS = '' }: Environment): number | undefined {
  const columns = /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : terminalColumns;
  // Some pseudo-terminals report a width of 0.
  return columns ? Math.max(columns, NARROWEST) : undefined;
}
