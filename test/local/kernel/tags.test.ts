import { AwsError } from '../../../local/kernel/aws-error';
import {
  checkTags,
  ResourceTags,
  refuseByModel,
  type TagRules,
  tagBreaches,
  tagList,
  tagRecord,
} from '../../../local/kernel/tags';

const many = (count: number) => Array.from({ length: count }, (_, i) => ({ Key: `k${i}`, Value: '' }));
const MODEL: TagRules = { needsValues: true, refuse: refuseByModel(text => new AwsError('ValidationException', text)) };

describe('the tags of a resource', () => {
  test('are listed in the order in which they came, and replaced by key', () => {
    const tags = new ResourceTags(MODEL);
    tags.put([
      { Key: 'team', Value: 'rental' },
      { Key: '__proto__', Value: 'a name like any other' },
    ]);
    tags.put([{ Key: 'team', Value: 'returns' }]);
    expect(tags.list()).toEqual([
      { Key: 'team', Value: 'returns' },
      { Key: '__proto__', Value: 'a name like any other' },
    ]);
    expect(tagList(tags.record())).toEqual(tags.list());
    expect(tagRecord(tags.list())).toEqual(tags.record());
    tags.remove(['team', 'never there']);
    expect(tags.keys).toEqual(['__proto__']);
  });

  test('are fifty at most, and a call that would exceed them gives none', () => {
    const tags = new ResourceTags(MODEL);
    tags.put(many(50));
    tags.put([{ Key: 'k7', Value: 'replaced' }]);
    expect(() => tags.put([{ Key: 'one more', Value: '' }])).toThrow(
      "at 'tags' failed to satisfy constraint: Member must have length less than or equal to 50",
    );
    expect(tags.size).toBe(50);
  });

  test('are told everything that is wrong with them at once, in the words of the model', () => {
    const wrong = [{ Key: '', Value: 'v'.repeat(257) }, { Key: 'AWS:mine', Value: '' }, { Key: 'no value' }];
    expect(() => checkTags(wrong, MODEL)).toThrow(
      "4 validation errors detected: Value '' at 'tags.1.member.key' failed to satisfy constraint: " +
        'Member must have length greater than or equal to 1; ' +
        `Value '${'v'.repeat(257)}' at 'tags.1.member.value' failed to satisfy constraint: ` +
        'Member must have length less than or equal to 256; ' +
        "Value 'AWS:mine' at 'tags.2.member.key' failed to satisfy constraint: " +
        'Member must not begin with aws:, which AWS reserves; ' +
        "Value null at 'tags.3.member.value' failed to satisfy constraint: Member must not be null",
    );
  });

  test.each([
    ['a key of 129 characters', [{ Key: 'k'.repeat(129) }], {}, ['key-length']],
    [
      'characters a service restricts',
      [{ Key: 'a;b', Value: 'c#' }],
      { restrictsCharacters: true },
      ['characters', 'characters'],
    ],
    ['characters a service does not restrict', [{ Key: 'a;b', Value: 'c#' }], {}, []],
    ['any script', [{ Key: '東京', Value: 'Zürich _.:/=+-@' }], { restrictsCharacters: true }, []],
    ['a key twice', [{ Key: 'k' }, { Key: 'k' }], { refusesDuplicates: true }, ['duplicate']],
    ['a key twice where the later one holds', [{ Key: 'k' }, { Key: 'k' }], {}, []],
    ['the limits themselves', [{ Key: 'k'.repeat(128), Value: 'v'.repeat(256) }, ...many(49)], {}, []],
    ['one more than the limit', many(51), {}, ['most']],
  ])('%s: judged by the rules of the service', (_, tags, rules, expected) => {
    expect(tagBreaches(tags, { ...MODEL, needsValues: false, ...rules }).map(({ rule }) => rule)).toEqual(expected);
  });
});
