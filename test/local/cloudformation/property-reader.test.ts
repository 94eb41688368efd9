import { PropertyReader } from '../../../local/cloudformation';
import { AwsError } from '../../../local/kernel/aws-error';
import type { Json } from './fixture';

describe('a property reader', () => {
  it('takes scalars as loosely as CloudFormation does', () => {
    const reader = new PropertyReader({ text: 5, flag: 'true', count: '12', no: false, list: ['a'] });
    expect(reader.string('text')).toBe('5');
    expect(reader.boolean('flag')).toBe(true);
    expect(reader.number('count')).toBe(12);
    expect(reader.boolean('no')).toBe(false);
    expect(reader.strings('list')).toEqual(['a']);
    expect([reader.string('gone'), reader.number('gone'), reader.boolean('gone'), reader.strings('gone')]).toEqual(
      Array(4).fill(undefined),
    );
    expect(reader.allProblems()).toEqual([]);
  });

  it('reads a document from an object, or from a string that holds one', () => {
    const reader = new PropertyReader({ object: { a: 1 }, text: '{"a":2}' });
    expect([reader.document('object'), reader.document('text'), reader.document('gone')]).toEqual([
      { a: 1 },
      { a: 2 },
      undefined,
    ]);
    expect(reader.allProblems()).toEqual([]);
  });

  it.each<[Json, (reader: PropertyReader) => unknown, string]>([
    [{ p: {} }, reader => reader.string('p'), 'must be a string'],
    [{ p: 'x' }, reader => reader.number('p'), 'must be a number'],
    [{ p: ' ' }, reader => reader.number('p'), 'must be a number'],
    [{ p: 'yes' }, reader => reader.boolean('p'), 'must be true or false'],
    [{ p: [1] }, reader => reader.strings('p'), 'must be a list of strings'],
    [{ p: 'x' }, reader => reader.document('p'), 'must be a JSON object'],
    [{ p: '[]' }, reader => reader.document('p'), 'must be a JSON object'],
    [{ p: 'x' }, reader => reader.object('p'), 'must be an object'],
    [{ p: [1] }, reader => reader.objects('p'), 'must be a list of objects'],
  ])('notes what is wrong with %j', (members, read, rule) => {
    const reader = new PropertyReader(members);
    read(reader);
    expect(reader.allProblems()).toEqual([{ property: 'p', rule, value: members['p'] }]);
  });

  it('notes what is missing, and answers something that lets the reading go on', () => {
    const reader = new PropertyReader({});
    expect(reader.requiredString('Name')).toBe('');
    expect(reader.notedProblems()).toEqual([{ property: 'Name', rule: 'is required', value: undefined }]);
  });

  it('notes what nobody read, down to the last member, unless it has no effect', () => {
    const reader = new PropertyReader({
      Colour: 'red',
      Tags: [],
      Nested: { Known: 1, Unknown: 2 },
      List: [{ A: 1 }, { B: 2 }],
      Untouched: { Inside: 1 },
    });
    reader.withoutEffect('Tags');
    reader.object('Nested')?.number('Known');
    for (const item of reader.objects('List')) item.number('A');
    expect(reader.notedProblems()).toEqual([]);
    const rule = 'is not implemented by the embedded AWS';
    expect(reader.allProblems()).toEqual([
      { property: 'Colour', rule, value: 'red' },
      { property: 'Untouched', rule, value: { Inside: 1 } },
      { property: 'Nested.Unknown', rule, value: 2 },
      { property: 'List[1].B', rule, value: 2 },
    ]);
  });

  it('makes an error of AWS the problem of the property that asked for it, and of nothing else', () => {
    const reader = new PropertyReader({ Nested: { Name: 'a b' } });
    const nested = reader.object('Nested');
    const name = nested?.requiredString('Name');
    const refuse = (error: Error) => () => {
      throw error;
    };
    expect(nested?.attempt('Name', () => name?.length)).toBe(3);
    expect(reader.allProblems()).toEqual([]);
    expect(nested?.attempt('Name', refuse(new AwsError('InvalidName', 'No spaces.')))).toBeUndefined();
    expect(() => nested?.attempt('Name', refuse(new TypeError('a bug')))).toThrow('a bug');
    expect(reader.allProblems()).toEqual([
      { property: 'Nested.Name', rule: 'is refused (InvalidName: No spaces.)', value: 'a b', isRefusal: true },
    ]);
  });
});
