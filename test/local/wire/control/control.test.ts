import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { RawClient } from '../server/raw-http';
import { ServedAws } from '../server/served-aws';

describe('control over HTTP', () => {
  const served = new ServedAws();
  const clients: RawClient[] = [];
  afterAll(async () => {
    for (const client of clients) client.close();
    await served.close();
  });

  async function started() {
    const { port, ...rest } = await served.start();
    const client = new RawClient(port);
    clients.push(client);
    const call = async (method: string, path: string, body?: unknown) => {
      const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
      const answer = await client.send({ method, path: `/_dlo/${path}`, body: text });
      return { status: answer.status, headers: answer.headers, json: JSON.parse(answer.text) };
    };
    return { call, ...rest };
  }

  it('says that it is there, and when', async () => {
    const { call } = await started();
    const { status, headers, json } = await call('GET', 'health');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(json).toEqual({ status: 'ok', now: '2026-01-01T00:00:00.000Z', speed: 0 });
  });

  it.each([
    ['GET', 'nothing', 404, 'there is no /_dlo/nothing; there are /_dlo/advance, /_dlo/confirm, /_dlo/emit'],
    ['GET', '__proto__', 404, 'there is no /_dlo/__proto__'],
    ['GET', 'advance', 405, '/_dlo/advance takes POST, got GET'],
    ['POST', 'faults', 405, '/_dlo/faults takes PUT, GET, DELETE, got POST'],
  ])('%s %s is answered %i', async (method, path, status, message) => {
    const { call } = await started();
    const answer = await call(method, path);
    expect(answer.status).toBe(status);
    expect(answer.json.message).toContain(message);
  });

  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '%5F_proto__'];

  it('takes names of members that every object has for what they are, in every route, and never fails', async () => {
    const { call } = await started();
    const routes = /there are (.*)/.exec((await call('GET', 'nothing')).json.message)?.[1]?.split(', ') ?? [];
    expect(routes.length).toBeGreaterThan(15);
    const failed: unknown[] = [];
    for (const route of routes) {
      for (const name of NAMES) {
        const inner = `{"${name}":{"${name}":1,"output":{}}}`;
        for (const body of [
          undefined,
          `{"${name}":1}`,
          inner,
          `{"answers":${inner},"service":"${name}","behave":"${name}"}`,
        ]) {
          for (const method of ['GET', 'PUT', 'POST', 'DELETE']) {
            for (const path of [`${route.slice('/_dlo/'.length)}/${name}`, route.slice('/_dlo/'.length)]) {
              const { status, json } = await call(method, path, body);
              if (status >= 500) failed.push([method, path, body, status, json]);
            }
          }
        }
      }
    }
    expect(failed).toEqual([]);
  });

  describe('of the clock', () => {
    it('lets seconds pass, or time until an instant, and says what happened meanwhile', async () => {
      const { call, aws } = await started();
      aws.timeline.after(30_000, () => {
        aws.services.sqs.call('CreateQueue', aws.services.sqs.owner, { QueueName: 'later' });
      });
      expect((await call('POST', 'advance', { seconds: 29.5 })).json).toEqual({
        now: '2026-01-01T00:00:29.500Z',
        events: 0,
      });
      const until = '2026-01-02T00:00:00Z';
      expect((await call('POST', 'advance', { until })).json).toEqual({ now: '2026-01-02T00:00:00.000Z', events: 1 });
    });

    it.each([
      ['{"seconds":-1}', 'seconds must be a number from 0 to 8638232774400, got -1'],
      ['{"seconds":"60"}', 'seconds must be a number from 0 to 8638232774400, got "60"'],
      ['{"seconds":1e99}', 'seconds must be a number from 0 to 8638232774400, got 1e+99'],
      [
        '{"until":"yesterday"}',
        'until must be an instant in ISO 8601, with Z or an offset, that is not in the past, got "yesterday"',
      ],
      [
        '{"until":"2025-12-31T00:00:00Z"}',
        'until must be an instant in ISO 8601, with Z or an offset, that is not in the past, got "2025-12-31T00:00:00Z"',
      ],
      ['{}', 'the body must hold either seconds or until, got nothing'],
      ['{"seconds":1,"until":"2026-01-02T00:00:00Z"}', 'the body must hold either seconds or until, got "both"'],
      ['{"seconds":1,"minutes":2}', 'minutes is not known: there are seconds, until, got 2'],
      ['[]', 'the body must be an object, got []'],
      [
        '{"until":"2027"}',
        'until must be an instant in ISO 8601, with Z or an offset, that is not in the past, got "2027"',
      ],
      ['{"until":"2027-01-01T00:00:00"}', 'until must be an instant in ISO 8601, with Z or an offset'],
      ['['.repeat(100_000) + ']'.repeat(100_000), 'the body must be JSON: Document nesting depth'],
      ['{"seconds"', 'the body must be JSON: Unexpected end-of-input: was expecting a colon'],
    ])('refuses %s', async (body, message) => {
      const { call, aws } = await started();
      const { status, json } = await call('POST', 'advance', body);
      expect(status).toBe(400);
      expect(json.message).toContain(message);
      expect(json.problems[0]).toMatchObject({ property: expect.any(String), rule: expect.any(String) });
      expect(aws.now).toBe('2026-01-01T00:00:00.000Z');
    });

    it('sends no more than the beginning of what made no sense back', async () => {
      const { call } = await started();
      for (const body of ['x'.repeat(5_000_000), JSON.stringify({ ['y'.repeat(500_000)]: 'z'.repeat(500_000) })]) {
        const { status, json } = await call('POST', 'advance', body);
        expect(status).toBe(400);
        expect(JSON.stringify(json).length).toBeLessThan(2_000);
      }
    });

    it('adds up what several let pass at once, and counts each its own events', async () => {
      const { call, aws } = await started();
      const { sqs: queues } = aws.services;
      for (const days of [5, 15, 25]) {
        aws.timeline.after(days * 86_400_000, () => {
          queues.call('CreateQueue', queues.owner, { QueueName: `day-${days}` });
        });
      }
      const tenDays = () => call('POST', 'advance', { seconds: 864_000 });
      const answers = await Promise.all([tenDays(), tenDays(), tenDays()]);
      expect(answers.map(({ json }) => json).sort((a, b) => (a.now < b.now ? -1 : 1))).toEqual([
        { now: '2026-01-11T00:00:00.000Z', events: 1 },
        { now: '2026-01-21T00:00:00.000Z', events: 1 },
        { now: '2026-01-31T00:00:00.000Z', events: 1 },
      ]);
    });

    it('says so when something broke on the way', async () => {
      const { call, aws, errors } = await started();
      aws.timeline.after(5, () => {
        throw new Error('broken');
      });
      const { status, json } = await call('POST', 'advance', { seconds: 1 });
      expect(status).toBe(500);
      expect(json.message).toContain('broken');
      expect(errors).toMatchObject([{ cause: { message: 'broken' } }]);
    });
  });

  it('of the state tells queues with their depths, topics, alarms, functions and endpoints', async () => {
    const { call, sqs, url, aws } = await started();
    const QueueUrl = await served.createQueue(sqs, 'orders');
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'y', DelaySeconds: 60 }));
    aws.endpoint('billing.example.com');
    expect((await call('GET', 'state')).json).toEqual({
      now: '2026-01-01T00:00:00.000Z',
      nowMs: Date.UTC(2026, 0, 1),
      account: '123456789012',
      places: [{ account: '123456789012', region: 'us-east-1' }],
      region: 'us-east-1',
      queues: [
        {
          name: 'orders',
          arn: 'arn:aws:sqs:us-east-1:123456789012:orders',
          url: `${url}/123456789012/orders`,
          visible: 1,
          inFlight: 0,
          delayed: 1,
          longPolls: 0,
        },
      ],
      topics: [],
      pendingSubscriptions: [],
      standIns: [],
      unknowns: [],
      apis: [],
      functions: [],
      alarms: [],
      endpoints: [{ host: 'billing.example.com', requests: 0, isScripted: false }],
    });
  });

  it('of the trace gives the record the library gives, page by page', async () => {
    const { call, sqs, aws } = await started();
    await served.createQueue(sqs, 'orders');
    await served.createQueue(sqs, 'invoices');
    const first = await call('GET', 'trace?limit=1');
    expect(first.json).toEqual({
      events: [
        {
          seq: 1,
          at: '2026-01-01T00:00:00.000Z',
          atMs: Date.UTC(2026, 0, 1),
          type: 'sqs.queue-created',
          queueArn: 'arn:aws:sqs:us-east-1:123456789012:orders',
        },
      ],
      next: 1,
    });
    const rest = await call('GET', `trace?since=${first.json.next}`);
    expect(rest.json.events.map(({ at: _, ...event }: { at: string }) => event)).toEqual(aws.trace.since(1));
    expect((await call('GET', `trace?since=${rest.json.next}`)).json).toEqual({ events: [], next: 2 });
    expect((await call('GET', 'trace?since=-1&limit=0&to=5')).json.message).toBe(
      'since must be a whole number from 0 to 9007199254740991, got -1; ' +
        'limit must be a whole number from 1 to 9007199254740991, got 0; ' +
        'to is not known: there are since, limit, got 5',
    );
  });

  it('of confirmations does what the owner of an endpoint does', async () => {
    const { call, aws } = await started();
    const sns = new SNSClient(aws.clientConfig());
    const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
    const endpoint = 'https://billing.example.com/orders';
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'https', Endpoint: endpoint }));
    const pending = async () => (await call('GET', 'state')).json.pendingSubscriptions;
    expect(await pending()).toEqual([{ topicArn: TopicArn, protocol: 'https', endpoint }]);
    expect((await call('POST', 'confirm', { endpoint })).json).toEqual({ endpoint, confirmed: 1 });
    expect(await pending()).toEqual([]);
    const again = await call('POST', 'confirm', { endpoint });
    expect([again.status, again.json.message]).toEqual([
      400,
      expect.stringContaining('endpoint must be the endpoint of a subscription that waits for confirmation'),
    ]);
    expect((await call('POST', 'confirm', {})).json.message).toBe(
      'endpoint must be a URL or an e-mail address, got nothing',
    );
  });

  it.each(['', '/', '?x'])('lists its routes at /_dlo%s', async end => {
    const { port } = await served.start();
    const client = new RawClient(port);
    clients.push(client);
    const { status, text } = await client.send({ method: 'GET', path: `/_dlo${end}` });
    expect([status, JSON.parse(text).message]).toEqual([404, expect.stringContaining('there are /_dlo/advance')]);
  });

  describe('of endpoints', () => {
    const send = (aws: Awaited<ReturnType<typeof started>>['aws']) =>
      aws.request('POST', 'https://billing.example.com/invoices', '{"n":1}');

    it('scripts what a host answers, in order, each for its time or its count', async () => {
      const { call, aws } = await started();
      const behaviours = [
        { status: 503, body: 'busy', headers: { 'Retry-After': '5' }, count: 2 },
        { status: 500, forSeconds: 10 },
        { status: 'refuse', count: 1 },
      ];
      expect((await call('PUT', 'endpoints/Billing.example.com', behaviours)).json).toEqual({
        host: 'billing.example.com',
        behaviours: 3,
        resolutions: 0,
      });
      expect([await send(aws), await send(aws)]).toEqual([
        { status: 503, text: 'busy' },
        { status: 503, text: 'busy' },
      ]);
      expect((await send(aws)).status).toBe(500);
      await call('POST', 'advance', { seconds: 10 });
      await expect(send(aws)).rejects.toThrow('no answer');
      expect((await send(aws)).status).toBe(200);
    });

    it('tells every request a host got, with time, headers and body', async () => {
      const { call, aws } = await started();
      await call('POST', 'advance', { seconds: 7 });
      await send(aws);
      const { json } = await call('GET', 'endpoints/billing.example.com');
      expect(json).toMatchObject({
        host: 'billing.example.com',
        requests: [
          {
            at: '2026-01-01T00:00:07.000Z',
            protocol: 'https',
            method: 'POST',
            path: '/invoices',
            headers: { host: 'billing.example.com', 'content-type': 'application/json' },
            body: '{"n":1}',
          },
        ],
      });
      expect((await call('GET', 'endpoints/nobody.example.com')).json).toEqual({
        host: 'nobody.example.com',
        requests: [],
      });
      expect(aws.state().endpoints).toEqual([{ host: 'billing.example.com', requests: 1, isScripted: false }]);
    });

    it('says what a name resolves to, and at which address a request came', async () => {
      const { call, aws } = await started();
      const naming = [
        { addresses: ['203.0.113.7'], count: 1 },
        { addresses: ['::ffff:10.0.0.5'], forSeconds: 60 },
      ];
      expect((await call('PUT', 'endpoints/billing.example.com', [...naming, { status: 503 }])).json).toEqual({
        host: 'billing.example.com',
        behaviours: 1,
        resolutions: 2,
      });
      expect([(await send(aws)).status, (await send(aws)).status]).toEqual([503, 503]);
      const { json } = await call('GET', 'endpoints/billing.example.com');
      expect(json.requests.map(({ address }: { address: string }) => address)).toEqual(['203.0.113.7', '10.0.0.5']);
      await call('PUT', 'endpoints/billing.example.com', { addresses: [] });
      await expect(send(aws)).rejects.toThrow('no answer (ENOTFOUND)');
      await call('DELETE', 'endpoints/billing.example.com');
      expect((await send(aws)).status).toBe(200);
    });

    it('speaks for an address, in any spelling', async () => {
      const { call, aws } = await started();
      const reply = { status: 418 };
      expect((await call('PUT', 'endpoints/[FD00:0::1]', reply)).json.host).toBe('fd00::1');
      expect((await call('PUT', 'endpoints/0x0a000005', reply)).json.host).toBe('10.0.0.5');
      expect((await aws.request('GET', 'http://[fd00::1]/')).status).toBe(418);
      expect((await aws.request('GET', 'http://10.0.0.5/')).status).toBe(418);
      await expect(aws.request('GET', 'http://10.0.0.6/')).rejects.toThrow('no answer');
    });

    it('is taken back by DELETE', async () => {
      const { call, aws } = await started();
      await call('PUT', 'endpoints/billing.example.com', { status: 503 });
      expect((await send(aws)).status).toBe(503);
      await call('DELETE', 'endpoints/billing.example.com');
      expect((await send(aws)).status).toBe(200);
    });

    it.each([
      [
        'endpoints/',
        {},
        'the host must be a name such as billing.example.com, or an address, without scheme, port or path, got ""',
      ],
      [
        'endpoints/a.b',
        { addresses: ['10.0.0'] },
        'addresses must be a list of IPv4 and IPv6 addresses, got ["10.0.0"]',
      ],
      [
        'endpoints/a.b',
        { addresses: [], status: 503 },
        'status is not known: there are addresses, latencyMs, forSeconds',
      ],
      ['endpoints/10.0.0.5', { addresses: ['10.0.0.6'] }, 'the host must be a name to resolve to anything'],
      ['endpoints/a..b', {}, 'the host must be a name such as billing.example.com'],
      [
        'endpoints/a.b',
        { status: 99 },
        'status must be a status from 200 to 599, or one of refuse, timeout, reset, dns, got 99',
      ],
      ['endpoints/a.b', { status: 'toString' }, 'status must be a status from 200 to 599'],
      [
        'endpoints/a.b',
        { headers: { a: 1 }, body: {} },
        'body must be a text, got {}; headers must be an object of texts',
      ],
      [
        'endpoints/a.b',
        JSON.parse('{"headers":{"__proto__":"x"}}'),
        'headers must be an object of texts, none of which is named __proto__',
      ],
      [
        'endpoints/a.b',
        [{ count: 1 }, { count: 0 }],
        '[1].count must be a whole number from 1 to 9007199254740991, got 0',
      ],
      ['endpoints/a.b', [{ latencyMs: -5, colour: 'red' }], '[0].colour is not known: there are status, body, headers'],
      ['endpoints/a.b', [5], '[0] must be an object, got 5'],
      [
        'endpoints/SQS.us-east-1.amazonaws.com',
        { status: 503 },
        'the host must be outside AWS: use faults to make an AWS service fail',
      ],
      ['endpoints/a.b', { forSeconds: 1e300 }, 'forSeconds must be a number from 0 to 8638232774400, got 1e+300'],
    ])('refuses %s %j', async (path, body, message) => {
      const { call } = await started();
      const { status, json } = await call('PUT', path, body);
      expect(status).toBe(400);
      expect(json.message).toContain(message);
    });
  });

  describe('of faults', () => {
    it('makes a service fail for a time', async () => {
      const { call, sqs } = await started();
      const QueueUrl = await served.createQueue(sqs, 'orders');
      const resource = 'arn:aws:sqs:us-east-1:123456789012:orders';
      const fault = { service: 'sqs', action: 'SendMessage', resource, status: 500, forSeconds: 60 };
      expect((await call('PUT', 'faults', fault)).json).toEqual({
        faults: [
          {
            service: 'sqs',
            action: 'SendMessage',
            resource,
            status: 500,
            from: '2026-01-01T00:00:00.000Z',
            until: '2026-01-01T00:01:00.000Z',
          },
        ],
      });
      const send = () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
      await expect(send()).rejects.toMatchObject({ $metadata: { httpStatusCode: 500 } });
      await call('POST', 'advance', { seconds: 60 });
      await expect(send()).resolves.toMatchObject({ $metadata: { httpStatusCode: 200 } });
      expect((await call('GET', 'faults')).json).toEqual({ faults: [] });
    });

    it('takes the name CloudWatch has in host names, too', async () => {
      const { call } = await started();
      const { json } = await call('PUT', 'faults', { service: 'monitoring', action: 'PutMetricData' });
      expect(json.faults).toMatchObject([{ service: 'cloudwatch', action: 'PutMetricData' }]);
    });

    it('changes from one fault into another', async () => {
      const { call, sqs } = await started();
      await call('PUT', 'faults', { service: 'sqs', status: 500 });
      expect((await call('PUT', 'faults', { service: 'sqs', status: 'throttle' })).json.faults).toHaveLength(1);
      await expect(served.createQueue(sqs, 'orders')).rejects.toMatchObject({ name: 'RequestThrottled' });
    });

    it.each([{ status: 'throttle' }, { throttle: true }])('makes it throttle by %j, until DELETE', async throttling => {
      const { call, sqs } = await started();
      const { json } = await call('PUT', 'faults', { service: 'sqs', ...throttling });
      expect(json.faults).toEqual([{ service: 'sqs', status: 'throttle', from: '2026-01-01T00:00:00.000Z' }]);
      await expect(served.createQueue(sqs, 'orders')).rejects.toMatchObject({ name: 'RequestThrottled' });
      expect((await call('DELETE', 'faults')).json).toEqual({ faults: [] });
      await expect(served.createQueue(sqs, 'orders')).resolves.toMatch(/orders$/);
    });

    it.each([
      [{}, 'service must be one of '],
      [{ service: 's3' }, 'service must be one of '],
      [{ service: 'sqs', status: 200 }, 'status must be a status from 400 to 599, or throttle, got 200'],
      [
        { service: 'sqs', action: 5, latencyMs: -1 },
        'action must be a text, got 5; latencyMs must be a number from 0 to 8638232774400000, got -1',
      ],
      [
        { service: 'sqs', forSeconds: 9e15, latencyMs: 1e300 },
        'latencyMs must be a number from 0 to 8638232774400000, got 1e+300; ' +
          'forSeconds must be a number from 0 to 8638232774400, got 9000000000000000',
      ],
      [
        { service: 'sqs', action: 'Sendmessage', resource: 'orders' },
        'action must be an action of sqs, for example SendMessage, got "Sendmessage"; ' +
          'resource must be the ARN of a resource, got "orders"',
      ],
      [{ service: 'monitoring', action: 'Fly' }, 'action must be an action of monitoring, got "Fly"'],
      [
        { service: 'sqs', count: 5 },
        'count is not known: there are service, action, resource, code, latencyMs, status, throttle, forSeconds',
      ],
      [{ service: 'sqs', throttle: 'yes' }, 'throttle must be true or false, got "yes"'],
    ])('refuses %j', async (fault, message) => {
      const { call } = await started();
      const { status, json } = await call('PUT', 'faults', fault);
      expect(status).toBe(400);
      expect(json.message).toContain(message);
      expect((await call('GET', 'faults')).json).toEqual({ faults: [] });
    });
  });
});
