import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  GetFunctionCommand,
  LambdaClient,
  ListFunctionsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import type { RetryErrorType, SdkError } from '@smithy/types';
import { Command } from 'commander';
import { CallPaces } from '../../../account/connection/call-pace';
import { type ConnectionOptions, connected } from '../../../account/connection/connection';
import { RETRIED_FOR_MS, TimedRetries } from '../../../account/connection/retries';
import { addConnectionOptions, run } from '../../../bin/shared/command-line';
import { type Fault, LocalAws } from '../../../local';
import { MemoryIo } from '../../bin/shared/memory-io';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
const NOBODY = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
const ENVIRONMENT = { AWS_REGION: 'us-east-1', AWS_MAX_ATTEMPTS: '1' };

describe('A command that talks to AWS', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dlo-aws-'));
  let aws: LocalAws;
  let url: string;

  beforeAll(async () => {
    aws = LocalAws.start();
    ({ url } = await aws.listen());
  });

  afterAll(async () => {
    await aws.close();
    rmSync(folder, { recursive: true });
  });

  /** The path of a configuration file that holds this. */
  function configured(name: string, text: string): string {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Runs a command that lists functions, with only these AWS variables in the environment. */
  async function ask(
    args: readonly string[],
    environment: NodeJS.ProcessEnv,
  ): Promise<{ exitCode: number; out: string; err: string }> {
    const before = { ...process.env };
    Object.assign(process.env, ENVIRONMENT, environment);
    const io = new MemoryIo();
    const command = addConnectionOptions(new Command('ask')).action((options: ConnectionOptions) =>
      connected(options, async connection => {
        const { Functions = [] } = await connection.client(LambdaClient).send(new ListFunctionsCommand({}));
        io.stdout.write(`${Functions.length} functions in ${connection.region}`);
      }),
    );
    try {
      const exitCode = await run(new Command('dlo').addCommand(command), ['ask', ...args], io);
      return { exitCode, out: io.out, err: io.err };
    } finally {
      process.env = before;
    }
  }

  const asked = (region: string) => ({ exitCode: 0, out: `0 functions in ${region}`, err: '' });
  const failed = (err: string | RegExp) => ({ exitCode: 1, out: '', err: expect.stringMatching(err) });

  test('goes where --endpoint-url says, or AWS_ENDPOINT_URL', async () => {
    expect(await ask(['--endpoint-url', url], KEYS)).toEqual(asked('us-east-1'));
    expect(await ask([], { ...KEYS, AWS_ENDPOINT_URL: url })).toEqual(asked('us-east-1'));
  });

  test.each([
    { from: '--region before all', args: ['--region', 'us-east-1'], AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: '' },
    {
      from: 'AWS_REGION before AWS_DEFAULT_REGION',
      args: [],
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'eu-west-1',
    },
    {
      from: 'AWS_DEFAULT_REGION, as the aws command does',
      args: [],
      AWS_REGION: '',
      AWS_DEFAULT_REGION: 'us-east-1',
    },
  ])('takes the Region from $from', async ({ args, AWS_REGION, AWS_DEFAULT_REGION }) => {
    const environment = { ...KEYS, AWS_REGION, AWS_DEFAULT_REGION };
    expect(await ask([...args, '--endpoint-url', url], environment)).toEqual(asked('us-east-1'));
  });

  test('takes credentials and the Region from a profile, named by --profile or AWS_PROFILE', async () => {
    const AWS_CONFIG_FILE = configured(
      'ops',
      '[profile ops]\nregion = us-east-1\naws_access_key_id = AKIAIOSFODNN7EXAMPLE\naws_secret_access_key = secret\n',
    );
    const environment = { ...NOBODY, AWS_REGION: '', AWS_CONFIG_FILE };
    expect(await ask(['--endpoint-url', url, '--profile', 'ops'], environment)).toEqual(asked('us-east-1'));
    expect(await ask(['--endpoint-url', url], { ...environment, AWS_PROFILE: 'ops' })).toEqual(asked('us-east-1'));
    const unknown =
      /^dlo: no profile is named opps in ~\/\.aws\/config or ~\/\.aws\/credentials: the profiles are ops\n$/;
    expect(await ask(['--endpoint-url', url, '--profile', 'opps'], { ...environment, ...KEYS })).toEqual(
      failed(unknown),
    );
    expect(await ask(['--endpoint-url', url], { ...environment, ...KEYS, AWS_PROFILE: 'opps' })).toEqual(
      failed(unknown),
    );
  });

  test('says that no profile is there at all', async () => {
    expect(await ask(['--profile', 'ops'], NOBODY)).toEqual(failed(/no profile is named ops .*: there are none\n$/));
  });

  test('says where credentials may come from, when there are none', async () => {
    const text =
      'dlo: no AWS credentials were found: name a --profile, or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\n';
    expect(await ask(['--endpoint-url', url], NOBODY)).toEqual({ exitCode: 1, out: '', err: text });
  });

  test('says where a Region may come from, when there is none', async () => {
    const text = 'dlo: no Region is configured: use --region, or set AWS_REGION or the region of the profile\n';
    expect(await ask(['--endpoint-url', url], { ...KEYS, AWS_REGION: '' })).toEqual({
      exitCode: 1,
      out: '',
      err: text,
    });
  });

  test.each<{ what: string; fault: Omit<Fault, 'service'>; says: RegExp }>([
    {
      what: 'throttled',
      fault: { throttle: true },
      says: /^dlo: lambda:ListFunctions was throttled in 1 attempts: Rate Exceeded\. Try again in a minute\.\n$/,
    },
    {
      what: 'denied',
      fault: { code: 'AccessDeniedException', httpStatus: 403 },
      says: /^dlo: lambda:ListFunctions is denied: .* Grant the caller \{"Effect":"Allow","Action":"lambda:ListFunctions","Resource":"\*"\}\.\n$/,
    },
    {
      what: 'answered that its credentials have expired',
      fault: { code: 'ExpiredTokenException', httpStatus: 403 },
      says: /^dlo: AWS rejects the credentials for lambda:ListFunctions: /,
    },
    {
      what: 'in a Region that is not enabled',
      fault: { code: 'UnrecognizedClientException', httpStatus: 403 },
      says: /^dlo: AWS rejects the credentials for lambda:ListFunctions: .*\. Is the Region us-east-1 enabled for the account\?\n$/,
    },
    {
      what: 'answered an error of AWS',
      fault: { code: 'ServiceException', httpStatus: 500 },
      says: /^dlo: lambda:ListFunctions: /,
    },
  ])('says what to do when it is $what', async ({ fault, says }) => {
    const set = aws.faults.set({ service: 'lambda', ...fault });
    const said = await ask(['--endpoint-url', url], KEYS);
    set.end();
    expect(said).toEqual(failed(says));
  });

  test('says that nobody is there', async () => {
    const closed = createServer();
    await new Promise<void>(resolve => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise(resolve => closed.close(resolve));
    const nobody = `http://127.0.0.1:${port}`;
    expect(await ask(['--endpoint-url', nobody], KEYS)).toEqual(
      failed(
        `^dlo: lambda:ListFunctions could not reach AWS: .*ECONNREFUSED.*\\. Is the service at ${nobody} running\\?\n$`,
      ),
    );
  });

  test('says which call was answered by somebody who is not AWS', async () => {
    const other = createServer((_, answer) => answer.end('<html>hello</html>'));
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const said = await ask(['--endpoint-url', `http://127.0.0.1:${port}`], KEYS);
    other.closeAllConnections();
    other.close();
    expect(said).toEqual(
      failed(
        /^dlo: lambda:ListFunctions cannot parse the response of http:\S+: Unexpected token.*\. Is that an AWS endpoint\?\n$/,
      ),
    );
  });

  test.each([
    ['--region', 'us east', 'It must be a Region, for example eu-central-1.'],
    ['--region', 'eu-central-1.example.com/', 'It must be a Region, for example eu-central-1.'],
    ['--endpoint-url', 'localhost:4566', 'It must be an http or https URL, for example http://localhost:4566.'],
  ])('takes %s %s for bad input', async (option, value, text) => {
    const { exitCode, err } = await ask([option, value], KEYS);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(text)]);
  });

  test('leaves an error what it is, for whoever can do something about it', async () => {
    const before = { ...process.env };
    Object.assign(process.env, ENVIRONMENT, KEYS);
    const asking = connected({ endpointUrl: url }, connection =>
      connection.client(LambdaClient).send(new GetFunctionCommand({ FunctionName: 'nobody' })),
    );
    const error = await asking
      .catch((thrown: unknown) => thrown)
      .finally(() => {
        process.env = before;
      });
    expect(error).toBeInstanceOf(ResourceNotFoundException);
    expect(String(error)).toMatch(/lambda:GetFunction: Function not found/);
  });
});

/** A clock that passes only while it waits. */
class WaitedClock {
  waitedMs = 0;
  readonly nowMs = () => this.waitedMs;
  readonly wait = async (milliseconds: number) => {
    this.waitedMs += milliseconds;
  };
  readonly random = () => 1;
}

describe('retries', () => {
  const responded = (status: number) => ({ $metadata: { httpStatusCode: status } });

  /** Makes a call that always fails, and returns the number of attempts and how long they took. */
  async function failing(errorType: RetryErrorType, facts: object, maxAttempts?: number, answeredBefore = true) {
    const clock = new WaitedClock();
    const retries = new TimedRetries(clock, maxAttempts);
    if (answeredBefore) retries.recordSuccess();
    let token = await retries.acquireInitialRetryToken();
    for (;;) {
      const attempts = token.getRetryCount() + 1;
      try {
        const error: SdkError = Object.assign(new Error(), { $metadata: {}, cause: undefined }, facts);
        token = await retries.refreshRetryTokenForRetry(token, { errorType, error });
      } catch {
        return { attempts, seconds: clock.waitedMs / 1_000 };
      }
    }
  }

  test.each<RetryErrorType>(['THROTTLING', 'TRANSIENT', 'SERVER_ERROR'])('%s: for half a minute', async type => {
    const { attempts, seconds } = await failing(type, responded(500));
    expect(attempts).toBeGreaterThan(8);
    expect(seconds).toBeLessThanOrEqual(RETRIED_FOR_MS / 1_000);
    expect(seconds).toBeGreaterThan(20);
  });

  test('none for what cannot succeed, and as many as the user has set', async () => {
    expect((await failing('CLIENT_ERROR', responded(400))).attempts).toBe(1);
    expect((await failing('SERVER_ERROR', responded(501))).attempts).toBe(1);
    expect((await failing('THROTTLING', responded(400), 4)).attempts).toBe(4);
  });

  test('none because the clocks differ, except one for a signature, which is right the second time', async () => {
    const skewed = (name: string, status = 400) => ({
      name,
      $metadata: { httpStatusCode: status, clockSkewCorrected: true },
    });
    expect((await failing('TRANSIENT', skewed('ResourceNotFoundException'))).attempts).toBe(1);
    expect((await failing('TRANSIENT', skewed('SignatureDoesNotMatch'))).attempts).toBe(2);
    expect((await failing('TRANSIENT', skewed('InternalFailure', 503))).attempts).toBeGreaterThan(8);
    expect((await failing('THROTTLING', skewed('Throttling'))).attempts).toBeGreaterThan(8);
  });

  test('three while nothing has ever answered, the host has no address, or the answer is not that of AWS', async () => {
    const page = { message: "Unexpected token '<'\n  Deserialization error: …", ...responded(500) };
    expect((await failing('TRANSIENT', page)).attempts).toBe(3);
    expect((await failing('TRANSIENT', { code: 'ECONNREFUSED' }, undefined, false)).attempts).toBe(3);
    expect((await failing('TRANSIENT', { code: 'ENOTFOUND' })).attempts).toBe(3);
  });
});

describe('the pace of calls', () => {
  const throttling = Object.assign(new Error(), { name: 'TooManyRequestsException', $metadata: {} });

  /** Makes calls one after the other, of which AWS allows so many a second. Returns their number and the seconds they took. */
  async function made(action: string, calls: number, allowed: number) {
    const clock = new WaitedClock();
    const paces = new CallPaces(clock);
    let tokens = allowed;
    let filledAtMs = 0;
    let throttled = 0;
    const attempt = async () => {
      await clock.wait(10);
      tokens = Math.min(allowed, tokens + ((clock.nowMs() - filledAtMs) / 1_000) * allowed);
      filledAtMs = clock.nowMs();
      if (tokens < 1) throw throttling;
      tokens -= 1;
    };
    for (let done = 0; done < calls; ) {
      try {
        await paces.paced(action, attempt);
        done += 1;
      } catch {
        throttled += 1;
        await clock.wait(50);
      }
    }
    return { seconds: clock.waitedMs / 1_000, throttled };
  }

  test('is that which AWS publishes once it throttles: 1,000 calls of GetPolicy take little more than 15 a second allow', async () => {
    const { seconds, throttled } = await made('lambda:GetPolicy', 1_000, 15);
    expect(seconds).toBeLessThan((1.3 * 1_000) / 15);
    expect(throttled).toBeLessThan(30);
  });

  test('is found where AWS publishes none', async () => {
    const { seconds } = await made('sns:GetSubscriptionAttributes', 1_000, 30);
    expect(seconds).toBeLessThan((1.3 * 1_000) / 30);
  });

  test('is not limited before AWS throttles', async () => {
    expect((await made('lambda:GetPolicy', 100, 10_000)).seconds).toBeCloseTo(1);
  });
});
