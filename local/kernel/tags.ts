import type { AwsError } from './aws-error';
import { Constraints } from './constraints';

/** Tags in the form some services have them: by their key. */
export type TagRecord = Readonly<Record<string, string>>;

/** Tags in the form most services have them. */
export function tagList(tags: TagRecord): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The other way round. */
export function tagRecord(tags: readonly { readonly Key: string; readonly Value: string }[]): TagRecord {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
}

/** @throws AwsError the service's, unless a resource without tags may have these */
export function checkTags(tags: readonly ResourceTag[], rules: TagRules, held: Iterable<string> = []): void {
  const breaches = tagBreaches(tags, rules, held);
  if (breaches.length > 0) throw rules.refuse(breaches);
}

/** The tags of a resource: by their key, in the order in which they were given. */
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
   * Gives these tags, each in the place of the one with its key.
   *
   * @throws AwsError the service's, when a rule is broken: none is given then
   */
  put(tags: readonly ResourceTag[] = []): void {
    checkTags(tags, this.rules, this.byKey.keys());
    for (const { Key = '', Value = '' } of tags) this.byKey.set(Key, Value);
  }

  /** Taking away what is not there is done already. */
  remove(keys: readonly string[] = []): void {
    for (const key of keys) this.byKey.delete(key);
  }

  /** Whether all of `others` are here, with the same values. */
  include(others: ResourceTags): boolean {
    return [...others.byKey].every(([key, value]) => this.byKey.get(key) === value);
  }
}

/** A tag in the form most services have it. */
export interface ResourceTag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

/** What a tag, or all tags together, can be in breach of. */
export type TagRule = 'key-length' | 'value-length' | 'characters' | 'reserved' | 'duplicate' | 'most';

/** One rule that tags break. */
export interface TagBreach {
  readonly rule: TagRule;
  /** What breaks it: a key, a value (undefined when it is missing), or for `most` all keys there would be. */
  readonly text: string | undefined;
  /** Which half of the tag breaks it. */
  readonly part: 'key' | 'value';
  /** Which of the tags given, from 0. */
  readonly index: number;
}

/** What a service asks of the tags of one resource. */
export interface TagRules {
  /** Letters, digits, spaces and `_.:/=+-@` only, of any script. @default false: any character will do */
  readonly restrictsCharacters?: boolean;
  /** A tag must have a value, be it an empty one. @default false: a missing value is an empty one */
  readonly needsValues?: boolean;
  /** A key may not come twice in one call. @default false: the later tag holds */
  readonly refusesDuplicates?: boolean;
  /** The service's error of what is wrong, of which there is something. In the order of the tags; `most` comes last. */
  refuse(breaches: readonly TagBreach[]): AwsError;
}

/**
 * What AWS asks of every tag, counted in characters.
 * @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
 */
const KEY_CHARACTERS = { least: 1, most: 128 };
const VALUE_CHARACTERS = { least: 0, most: 256 };
const MOST_TAGS = 50;
const ALLOWED = '[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]';
const OF_ALLOWED = new RegExp(`^${ALLOWED}*$`, 'u');
const RESERVED = /^aws:/i;

/**
 * Every rule the tags break.
 *
 * @param held the keys the resource has tags of already
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

/** Every rule that a key alone breaks. */
export function keyBreaches(key: string, index = 0): readonly TagBreach[] {
  const isOfLength = key.length >= KEY_CHARACTERS.least && key.length <= KEY_CHARACTERS.most;
  return [
    ...(isOfLength ? [] : [{ rule: 'key-length', part: 'key', text: key, index } as const]),
    ...(RESERVED.test(key) ? [{ rule: 'reserved', part: 'key', text: key, index } as const] : []),
  ];
}

/** A tag's rule in words. Our choice, where a service is not on record with its own. */
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
 * Refuses tags as AWS does where its model of the API has the rules: everything at once, in the model's words.
 *
 * @param spelled what a half of a tag is called. @default `tags.1.member.key`
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
