import type { Connection } from '../../../account/connection/connection';
import { missingPermissions, UnreadCalls } from '../../../account/connection/unread-calls';
import { AccountReader, type InventoryQuestion } from '../../../account/inventory/account-reader';

const QUESTION: InventoryQuestion = {
  action: 'sns:GetTopicAttributes',
  of: ['topic', 'topics'],
  tells: 'the attributes',
  hides: ['feeders'],
};

const LIST: InventoryQuestion = { action: 'sns:ListTopics', tells: 'the topics', hides: ['topics'] };

const names = (count: number) => Array.from({ length: count }, (_, index) => `topic-${index + 1}`);

function failure(name: string, httpStatusCode = 400, message = name): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode }, $fault: 'client' });
}

function newReader(): AccountReader {
  const client = () => {
    throw new Error('no client is needed');
  };
  const aws: Connection = { region: 'us-east-1', unread: new UnreadCalls(), client };
  return new AccountReader(aws);
}

/** Makes one call for each topic. The answer is the topic's name in upper case. */
async function askedOf(count: number, refuses: (name: string) => Error | undefined) {
  const asked: string[] = [];
  const reader = newReader();
  const read = async (name: string) => {
    asked.push(name);
    const error = refuses(name);
    if (error) throw error;
    return name.toUpperCase();
  };
  const answers = await reader.each(names(count), name => reader.ask(QUESTION, name, () => read(name)));
  return { asked, reader, answers };
}

const DENIED = failure('AuthorizationErrorException', 403, 'sns:GetTopicAttributes is denied');

describe('What a reader of an account cannot read', () => {
  test('is unknown, and collected with the permission that is missing', async () => {
    const { answers, reader } = await askedOf(20, name => (name.endsWith('1') ? DENIED : undefined));
    const unknownBecause = 'cannot be read without the permission sns:GetTopicAttributes';
    expect([answers[0], answers[1], answers[10]]).toEqual([{ unknownBecause }, 'TOPIC-2', { unknownBecause }]);
    expect(reader.unseen).toEqual([`the attributes of 2 topics ${unknownBecause}: topic-1, topic-11`]);
    expect(reader.incomplete).toEqual(['feeders']);
    expect(missingPermissions(reader.aws.unread.all)).toEqual(['sns:GetTopicAttributes']);
  });

  test('is asked of every resource although all are denied, for a policy may allow one of them', async () => {
    const { asked, reader } = await askedOf(60, () => DENIED);
    expect(asked).toHaveLength(60);
    expect(reader.unseen).toEqual([expect.stringMatching(/^the attributes of 60 topics .*topic-5 and 55 more$/)]);
  });

  test.each([
    ['501', failure('NotImplemented', 501)],
    ['an unknown operation', failure('UnknownOperationException')],
    ['an invalid action', failure('InvalidAction')],
    ['a page of a server that lacks the service', failure('UnknownError', 404)],
  ])('is not asked again once the endpoint has answered %s', async (_, error) => {
    const { asked, reader } = await askedOf(100, () => error);
    expect(asked.length).toBeLessThanOrEqual(32);
    expect(reader.unseen).toEqual([
      expect.stringContaining('cannot be read: the endpoint does not offer sns:GetTopicAttributes'),
    ]);
    expect(missingPermissions(reader.aws.unread.all)).toEqual([]);
  });

  test.each([
    ['throttled', failure('Throttling'), 'AWS throttles sns:GetTopicAttributes'],
    ['failing', Object.assign(failure('InternalFailure', 500), { $fault: 'server' }), 'sns:GetTopicAttributes fails'],
  ])('is given up when it is %s again and again', async (_, error, says) => {
    const { asked, reader } = await askedOf(100, () => error);
    expect(asked.length).toBeLessThan(50);
    expect(reader.unseen).toEqual([expect.stringContaining(`cannot be read: ${says}`)]);
  });

  test('is no statement of a policy where a policy denies it explicitly, or names a key', async () => {
    const refusing = async (text: string) => {
      const { reader } = await askedOf(1, () => failure('AccessDeniedException', 400, text));
      return missingPermissions(reader.aws.unread.all);
    };
    expect(await refusing('not authorized to perform: sns:GetTopicAttributes with an explicit deny')).toEqual([]);
    expect(await refusing('not authorized to perform: kms:Decrypt on resource: arn:aws:kms:k')).toEqual([
      'kms:Decrypt',
    ]);
  });

  test.each(['NotFoundException', 'QueueDoesNotExist', 'ResourceNotFoundException', 'NoSuchEntityException'])(
    'is left out when it is gone: %s',
    async code => {
      const { answers, reader } = await askedOf(3, name => (name === 'topic-2' ? failure(code) : undefined));
      expect(answers).toEqual(['TOPIC-1', 'TOPIC-3']);
      expect([reader.unseen, reader.incomplete]).toEqual([[], []]);
    },
  );

  test.each([failure('ExpiredTokenException', 403), new TypeError('a mistake of ours')])(
    'ends the command when no call could succeed: %s',
    async error => {
      await expect(askedOf(3, () => error)).rejects.toThrow(error.message);
    },
  );

  test('is the rest of a list whose next page fails: what was read counts', async () => {
    async function* pages() {
      yield ['a', 'b'];
      throw DENIED;
    }
    const reader = newReader();
    expect(await reader.list(LIST, pages())).toEqual(['a', 'b']);
    expect(reader.incomplete).toEqual(['topics']);
    expect(reader.unseen).toEqual(['the topics cannot be read without the permission sns:ListTopics']);
  });
});
