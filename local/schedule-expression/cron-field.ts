/** The numbers a field of a cron expression may have, and the names some go by. */
export interface FieldRange {
  readonly min: number;
  readonly max: number;
  /** The first is the name of `min`. */
  readonly names?: readonly string[];
}

/** Reads one number, or one name, of a field; undefined when it is neither, or out of range. */
export function valueIn(text: string, { min, max, names = [] }: FieldRange): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  if (!/^\d{1,4}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

/**
 * `from` up to `to`. Our choice: where `to` is the smaller, as in `FRI-MON`, it begins again at the field's smallest value,
 * as in Quartz, whose expressions AWS's are.
 */
function span(from: number, to: number, step: number, { min, max }: FieldRange): number[] {
  const count = max - min + 1;
  const length = to >= from ? to - from : to - from + count;
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => min + ((from - min + i * step) % count));
}

/** The values one part of a field stands for: `*`, `5`, `1-5`, each perhaps with `/15` behind it. */
function valuesOfPart(part: string, range: FieldRange): readonly number[] | undefined {
  const [, body = '', stepText] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? [];
  const step = stepText === undefined ? 1 : Number(stepText);
  if (body === '' || step < 1) return undefined;
  if (body === '*') return span(range.min, range.max, step, range);
  const [first = '', last, ...rest] = body.split('-');
  const from = valueIn(first, range);
  if (from === undefined || rest.length > 0) return undefined;
  if (last === undefined) return stepText === undefined ? [from] : span(from, range.max, step, range);
  const to = valueIn(last, range);
  return to === undefined ? undefined : span(from, to, step, range);
}

/** The values a whole field stands for, or undefined when it is none. */
export function valuesOf(field: string, range: FieldRange): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const found = valuesOfPart(part, range);
    if (!found) return undefined;
    for (const value of found) values.add(value);
  }
  return values;
}
