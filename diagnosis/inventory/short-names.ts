/**
 * A physical name that CloudFormation made: the stack, the logical id, a random suffix. CDK ends logical ids with a hash of
 * eight hexadecimal digits.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-name.html
 */
const MADE_BY_CDK = /^(?<stack>.+)-(?<id>[A-Za-z][A-Za-z0-9]*?)[0-9A-F]{8}-[A-Za-z0-9]{12,13}(?<fifo>\.fifo)?$/;

/** Without CDK's hash, only a suffix that has a digit and a capital is certainly random. */
const MADE_BY_CLOUDFORMATION =
  /^(?<stack>.+)-(?<id>[A-Za-z][A-Za-z0-9]*)-(?=\w*\d)(?=\w*[A-Z])[A-Za-z0-9]{12,13}(?<fifo>\.fifo)?$/;

/** The shorter forms of a name, the shortest first, and the name itself. */
function formsOf(name: string): readonly string[] {
  const { stack, id, fifo = '' } = (MADE_BY_CDK.exec(name) ?? MADE_BY_CLOUDFORMATION.exec(name))?.groups ?? {};
  return id === undefined ? [name] : [`${id}${fifo}`, `${stack}-${id}${fifo}`, name];
}

/**
 * Shortens names that CloudFormation made: without the stack, the hash and the random suffix. A form that would stand for two
 * of the names is not used for either.
 */
export function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const distinct = [...new Set(names)];
  const uses = new Map<string, number>();
  for (const form of distinct.flatMap(formsOf)) uses.set(form, (uses.get(form) ?? 0) + 1);
  return new Map(distinct.map(name => [name, formsOf(name).find(form => uses.get(form) === 1) ?? name]));
}

export function namesShortenedTo(short: string, names: readonly string[]): readonly string[] {
  return names.filter(name => formsOf(name).includes(short));
}

/** Shortens each such name in a text, which is only shown: two resources may look the same in it. */
export function shortenedText(text: string): string {
  return text.replace(/[\w-]+(?:\.fifo\b)?/g, word => formsOf(word)[0] ?? word);
}
