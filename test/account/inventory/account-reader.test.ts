import type { Connection } from '../../../account/connection/connection';
import { AccountReader, type Question } from '../../../account/inventory/account-reader';

const AWS: Connection = {
  region: 'us-east-1',
  client: () => {
    throw new Error('nobody is to be called');
  },
};

const QUESTION: Question = { action: 'sns:GetTopicAttributes', of: ['topic', 'topics'], tells: 'the attributes' };

const names = (count: number) => Array.from({ length: count }, (_, index) => `topic-${index + 1}`);

function failure(name: string, message = name): Error {
  return Object.assign(new Error(message), { name, $metadata: {} });
}

/** Makes one call for each topic. The answer is the topic's name in upper case. */
async function askedOf(count: number, refuses: (name: string) => Error | undefined, question = QUESTION) {
  const asked: string[] = [];
  const reader = new AccountReader(AWS);
  const read = async (name: string) => {
    asked.push(name);
    const error = refuses(name);
    if (error) throw error;
    return name.toUpperCase();
  };
  const answers = reader
    .each(names(count), name => reader.ask(question, name, () => read(name)))
    .then(all => {
      reader.checkAll();
      return all;
    });
  return { asked, reader, answers };
}

const DENIED = failure('AuthorizationErrorException', 'sns:GetTopicAttributes is denied');

describe('Whoever reads an account', () => {
  test('is told where nothing is let be read, and does not wait until everything was refused', async () => {
    const { answers, asked } = await askedOf(1_000, () => DENIED);
    await expect(answers).rejects.toThrow('sns:GetTopicAttributes is denied');
    expect(asked.length).toBeLessThan(30);
  });

  test('is told where the one thing there is may not be read', async () => {
    const { answers } = await askedOf(1, () => DENIED);
    await expect(answers).rejects.toThrow('sns:GetTopicAttributes is denied');
  });

  test('goes on where only some may not be read, and says which', async () => {
    const { answers, reader } = await askedOf(20, name => (name.endsWith('1') ? DENIED : undefined));
    const all = await answers;
    const unknownBecause = { unknownBecause: 'cannot be read without the permission sns:GetTopicAttributes' };
    expect([all[0], all[1], all[10]]).toEqual([unknownBecause, 'TOPIC-2', unknownBecause]);
    expect(all).toHaveLength(20);
    expect(reader.unseen).toEqual([
      'the attributes of 2 topics cannot be read without sns:GetTopicAttributes, so what depends on it is not checked: topic-1, topic-11',
    ]);
  });

  test('goes without what can be done without, and names a few', async () => {
    const { answers, reader } = await askedOf(9, () => DENIED, { ...QUESTION, isOptional: true });
    expect(new Set((await answers).map(it => typeof it))).toEqual(new Set(['object']));
    expect(reader.unseen).toEqual([expect.stringMatching(/^the attributes of 9 topics .*topic-\d and 4 more$/)]);
  });

  test.each(['NotFoundException', 'QueueDoesNotExist', 'ResourceNotFoundException', 'NoSuchEntityException'])(
    'leaves out what is gone: %s',
    async code => {
      const { answers, reader } = await askedOf(3, name => (name === 'topic-2' ? failure(code) : undefined));
      expect(await answers).toEqual(['TOPIC-1', 'TOPIC-3']);
      expect(reader.unseen).toEqual([]);
    },
  );

  test('fails at whatever else goes wrong', async () => {
    const { answers } = await askedOf(3, () => failure('InternalError', 'AWS is not well'));
    await expect(answers).rejects.toThrow('AWS is not well');
  });
});
