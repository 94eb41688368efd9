import { isHostName, refusedHost } from '../../policy/host-header';

const refusal = (host: string | undefined, url?: string) =>
  refusedHost({ host, url }, ['Aws.', 'my_service'], name => name === 'sqs.us-east-1.amazonaws.com');

describe('the host that a request names', () => {
  // Numbers are spellings of addresses, which no name can have.
  it.each(
    `127.0.0.1:4566 127.0.0.1 192.168.1.5:80 127.1 0x7f000001:4566 2130706433 [::1]:4566 [FE80::1%25eth0]:4566 [::ffff:127.0.0.1]
    localhost LocalHost.:4566 aws:4566 AWS my_service:4566 SQS.us-east-1.amazonaws.com.:443`.split(/\s+/),
  )('is allowed: %s', host => {
    expect(refusal(host)).toBeUndefined();
    expect(refusal(host, '/?Action=ListQueues&next=http://evil.example')).toBeUndefined();
  });

  it.each([
    ...`evil.example:4566 127.0.0.1.evil.example localhost.evil.example evil.localhost aws.evil.example evilaws localhost.. *
    bucket.s3.us-east-1.amazonaws.com x.sqs.us-east-1.amazonaws.com 127.0.0.1@evil.example evil.example:80@127.0.0.1
    evil.example#@localhost evil.example/@localhost local%68ost localhost,evil.example ⓛocalhost 127.0.0.1.1 999.1.1.1 [::1
    [evil.example] ::1 :4566 localhost:x`.split(/\s+/),
    'localhost\\evil.example',
    'localhost evil.example',
    '',
  ])('is refused: %s', host => {
    expect(refusal(host)).toContain(`got ${host}`);
  });

  it('is refused if the header is missing, or the URL names another host', () => {
    expect(refusal(undefined)).toContain('got none.');
    expect(refusal('localhost:4566', 'http://evil.example/')).toContain('got localhost:4566 for evil.example.');
    expect(refusal('evil.example', 'http://127.0.0.1:4566/')).toContain('got evil.example for 127.0.0.1:4566.');
    expect(refusal('127.0.0.1', 'http://127.0.0.1@evil.example/')).toContain('got 127.0.0.1 for');
    expect(refusal('aws:4566', 'HTTP://AWS:4566/?x=1')).toBeUndefined();
  });

  it('is named in the refusal, with the option that allows it', () => {
    expect(refusal('dlo.example.com:4566')).toBe(
      'The Host must be an IP address, localhost or a name that is allowed, got dlo.example.com:4566: start dlo with ' +
        '--allow-host dlo.example.com, or listen with allowHosts, to allow it.',
    );
    expect(refusal(`${'x'.repeat(10_000)}@`)?.length).toBeLessThan(400);
  });

  it.each<[unknown, boolean]>([
    ['aws', true],
    ['Dlo.Example.com.', true],
    ['my_service', true],
    ['', false],
    ['*', false],
    ['*.example.com', false],
    ['aws:4566', false],
    ['http://aws', false],
    ['a/b', false],
    ['a b', false],
    [null, false],
    [5, false],
  ])('can be allowed by name: %j is %s', (name, isAllowed) => {
    expect(isHostName(name)).toBe(isAllowed);
  });
});
