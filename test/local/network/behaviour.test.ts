import { type Behaviour, LocalAws, response, silence } from '../../../local';

describe('how a host behaves', () => {
  test.each([
    [
      { status: 503 },
      'status is not known: there are untilMs, forMs, count, reply, got 503; reply must be an object, got nothing',
    ],
    [{ reply: {} }, 'reply.kind must be one of response, no-answer, silence, got nothing'],
    [{ reply: { kind: 'teapot' } }, 'reply.kind must be one of response, no-answer, silence, got "teapot"'],
    [{ reply: response(99) }, 'reply.status must be a whole number from 200 to 599, got 99'],
    [{ reply: { kind: 'response' } }, 'reply.status must be a status from 200 to 599, got nothing'],
    [{ reply: response(200, '', {}, { latencyMs: -1 }) }, 'reply.latencyMs must be a number from 0 to '],
    [{ reply: response(200, '', {}, { keepAliveMs: 0 }) }, 'reply.keepAliveMs must be a number from 1 to '],
    [
      { reply: { kind: 'response', status: 200, headers: {}, body: Buffer.of(), ending: 'soon' } },
      'reply.ending must be one of complete, reset, never, endless, got "soon"',
    ],
    [{ reply: { kind: 'no-answer', code: 'EPERM' } }, 'reply.code must be one of ENOTFOUND, ECONNREFUSED'],
    [{ reply: silence(), count: 0 }, 'count must be a whole number from 1 to 9007199254740991, got 0'],
    [{ reply: silence(), forSeconds: 5 }, 'forSeconds is not known'],
    [503, 'a behaviour must be an object, got 503'],
  ])('cannot be %j', (behaviour: unknown, message) => {
    const host = LocalAws.start().endpoint('partner.example.com');
    const behaving = () => host.behave(behaviour as Behaviour);
    expect(behaving).toThrow(RangeError);
    expect(behaving).toThrow(message);
  });

  test('says which of several makes no sense', () => {
    const host = LocalAws.start().endpoint('partner.example.com');
    expect(() => host.behave({ reply: silence() }, { reply: response(1) })).toThrow('[1].reply.status must be');
  });

  test.each(['https://partner.example.com/x', 'partner.example.com:443', '', 5])(
    'is refused for %j, which is no host name',
    host => {
      const aws = LocalAws.start();
      expect(() => aws.endpoint(host as string)).toThrow('the host must be a name such as billing.example.com');
    },
  );

  test('is refused for a service that the embedded AWS itself answers', () => {
    const aws = LocalAws.start();
    expect(() => aws.endpoint('sqs.us-east-1.amazonaws.com')).toThrow(
      new RangeError(
        'the host must be outside AWS: use faults to make an AWS service fail, ' + 'got "sqs.us-east-1.amazonaws.com"',
      ),
    );
    expect(aws.endpoint('states.us-east-1.amazonaws.com').requests).toEqual([]);
  });
});
