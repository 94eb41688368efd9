import type { AwsError } from './aws-error';
import { Constraints } from './constraints';

/** Tags as an object, which some services use: the value of each key. */
export type TagRecord = Readonly<Record<string, string>>;

/** Converts tags to the form that most services have. */
export function tagList(tags: TagRecord): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

export function tagRecord(tags: readonly { readonly Key: string; readonly Value: string }[]): TagRecord {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

export function checkTags(tags: readonly ResourceTag[], rules: TagRules, held: Iterable<string> = []): void {
  const breaches = tagBreaches(tags, rules, held);
  if (breaches.length > 0) throw rules.refuse(breaches);
}

/** The tags of a resource by key, in the order in which they were added. */
export class ResourceTags {
  private readonly byKey = new Map<string, string>();

  constructor(private readonly rules: TagRules) {}

  get size(): number {
    return this.byKey.size;
  }

  get keys(): readonly string[] {
    return [...this.byKey.keys()];
  }

  get values(): readonly string[] {
    return [...this.byKey.values()];
  }

  get(key: string): string | undefined {
    return this.byKey.get(key);
  }

  list(): { Key: string; Value: string }[] {
    return [...this.byKey].map(([Key, Value]) => ({ Key, Value }));
  }

  record(): Record<string, string> {
    return Object.fromEntries(this.byKey);
  }

  /**
   * Adds tags. A tag replaces the one with the same key.
   *
   * @throws AwsError of the service when a rule is broken; then none is added
   */
  put(tags: readonly ResourceTag[] = []): void {
    checkTags(tags, this.rules, this.byKey.keys());
    for (const { Key = '', Value = '' } of tags) this.byKey.set(Key, Value);
  }

  /** Removes tags. Keys that do not exist are ignored, as on AWS. */
  remove(keys: readonly string[] = []): void {
    for (const key of keys) this.byKey.delete(key);
  }

  /** Whether this resource has all tags of `others`, with the same values. */
  include(others: ResourceTags): boolean {
    return [...others.byKey].every(([key, value]) => this.byKey.get(key) === value);
  }
}

export interface ResourceTag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

type TagRule = 'key-length' | 'value-length' | 'characters' | 'reserved' | 'duplicate' | 'most';

export interface TagBreach {
  readonly rule: TagRule;
  /** The text that breaks the rule: a key, a value (undefined when it is missing), or for `most` all keys together. */
  readonly text: string | undefined;
  /** The half of the tag that breaks the rule. */
  readonly part: 'key' | 'value';
  /** The index of the tag among those given, from 0. */
  readonly index: number;
}

export interface TagRules {
  /** Whether only alphanumeric characters, spaces and `_.:/=+-@` of any script are allowed. @default false: any character is */
  readonly restrictsCharacters?: boolean;
  /** Whether a tag must have a value, which may be empty. @default false: a missing value is an empty one */
  readonly needsValues?: boolean;
  /** Whether a key may appear only once in a call. @default false: the later tag wins */
  readonly refusesDuplicates?: boolean;
  /**
   * Makes the service's error from the broken rules, of which there is at least one. They are in the order of the tags;
   * `most` is last.
   */
  refuse(breaches: readonly TagBreach[]): AwsError;
}

/**
 * AWS's limits for every tag, in characters.
 *
 * @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
 */
const KEY_CHARACTERS = { least: 1, most: 128 };
const VALUE_CHARACTERS = { least: 0, most: 256 };
const MOST_TAGS = 50;
const ALLOWED = '[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]';
const OF_ALLOWED = new RegExp(`^${ALLOWED}*$`, 'u');
const RESERVED = /^aws:/i;

/**
 * Returns every rule that the tags break.
 *
 * @param held the keys of the tags that the resource already has
 */
export function tagBreaches(
  tags: readonly ResourceTag[],
  { restrictsCharacters = false, needsValues = false, refusesDuplicates = false }: TagRules,
  held: Iterable<string> = [],
): readonly TagBreach[] {
  const keys = new Set<string>();
  const breaches = tags.flatMap(({ Key = '', Value }, index) => {
    const found = (rule: TagRule, part: TagBreach['part'], text: string | undefined, isBroken: boolean) =>
      isBroken ? [{ rule, part, text, index }] : [];
    const isDuplicate = keys.has(Key);
    keys.add(Key);
    const value = Value ?? (needsValues ? undefined : '');
    return [
      ...keyBreaches(Key, index),
      ...found('value-length', 'value', value, value === undefined || value.length > VALUE_CHARACTERS.most),
      ...found('characters', 'key', Key, restrictsCharacters && !OF_ALLOWED.test(Key)),
      ...found('characters', 'value', value, restrictsCharacters && !OF_ALLOWED.test(value ?? '')),
      ...found('duplicate', 'key', Key, refusesDuplicates && isDuplicate),
    ];
  });
  const all = [...new Set([...held, ...keys])];
  if (all.length <= MOST_TAGS) return breaches;
  return [...breaches, { rule: 'most', part: 'key', text: all.join(', '), index: tags.length }];
}

export function keyBreaches(key: string, index = 0): readonly TagBreach[] {
  const isOfLength = key.length >= KEY_CHARACTERS.least && key.length <= KEY_CHARACTERS.most;
  return [
    ...(isOfLength ? [] : [{ rule: 'key-length', part: 'key', text: key, index } as const]),
    ...(RESERVED.test(key) ? [{ rule: 'reserved', part: 'key', text: key, index } as const] : []),
  ];
}

/**
 * The text of each broken rule. **Assumption AWS-4:** AWS does not publish this for every service; these texts are used
 * where none was observed.
 */
export const TAG_RULES: Readonly<Record<TagRule, (text: string | undefined) => string>> = {
  'key-length': () =>
    `Tag keys must be between ${KEY_CHARACTERS.least} and ${KEY_CHARACTERS.most} characters in length.`,
  'value-length': () =>
    `Tag values must be between ${VALUE_CHARACTERS.least} and ${VALUE_CHARACTERS.most} characters in length.`,
  characters: text => `Tags can hold letters, digits, spaces and _ . : / = + - @ only; got ${text}`,
  reserved: text => `Tag keys cannot begin with aws:, which AWS reserves; got ${text}.`,
  duplicate: text => `Tag keys cannot come twice; got ${text}.`,
  most: () => `A resource has at most ${MOST_TAGS} tags.`,
};

/**
 * Refuses tags as AWS does where its API model has the rules: all problems at once, in the model's words.
 *
 * @param spelled how half of a tag is named. @default `tags.1.member.key`
 */
export function refuseByModel(
  refuse: (text: string) => AwsError,
  spelled: (breach: TagBreach) => string = ({ index, part }) => `tags.${index + 1}.member.${part}`,
): TagRules['refuse'] {
  return breaches => {
    const constraints = new Constraints(refuse);
    for (const breach of breaches) {
      const { rule, text, part } = breach;
      const member = rule === 'most' ? 'tags' : spelled(breach);
      const value = rule === 'most' ? text?.split(', ') : text;
      constraints.breach(
        member,
        value,
        text === undefined ? 'Member must not be null' : IN_THE_MODEL[rule](part, text),
      );
    }
    return constraints.error();
  };
}

const IN_THE_MODEL: Readonly<Record<TagRule, (part: TagBreach['part'], text: string) => string>> = {
  'key-length': (_, { length }) =>
    length < KEY_CHARACTERS.least
      ? `Member must have length greater than or equal to ${KEY_CHARACTERS.least}`
      : `Member must have length less than or equal to ${KEY_CHARACTERS.most}`,
  'value-length': () => `Member must have length less than or equal to ${VALUE_CHARACTERS.most}`,
  characters: part => `Member must satisfy regular expression pattern: (${ALLOWED}${part === 'key' ? '+' : '*'})`,
  reserved: () => 'Member must not begin with aws:, which AWS reserves',
  duplicate: () => 'Member must not have the key of another',
  most: () => `Member must have length less than or equal to ${MOST_TAGS}`,
};
