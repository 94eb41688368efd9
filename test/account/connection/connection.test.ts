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
import { AdaptiveRetryStrategy } from '@smithy/core/retry';
import type { RetryErrorType } from '@smithy/types';
import { Command } from 'commander';
import {
  type ConnectionOptions,
  connected,
  MAX_THROTTLED_ATTEMPTS,
  ThrottleRetries,
} from '../../../account/connection/connection';
import { addConnectionOptions, run } from '../../../bin/shared/command-line';
import { type Fault, LocalAws } from '../../../local';
import { MemoryIo } from '../../bin/shared/memory-io';

describe('connection', () => {
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
        says: /^dlo: lambda:ListFunctions was throttled in 1 attempts: Rate Exceeded\. Try again in a minute, or set a higher AWS_MAX_ATTEMPTS\.\n$/,
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

    test.each([
      { stated: {}, attempts: 10 },
      { stated: { AWS_MAX_ATTEMPTS: '4' }, attempts: 4 },
      { stated: { AWS_PROFILE: 'hasty' }, attempts: 2 },
    ])('tries what is throttled ten times, unless $stated', async ({ stated, attempts }) => {
      const AWS_CONFIG_FILE = configured('hasty', '[profile hasty]\nmax_attempts = 2\n');
      const before = { ...process.env };
      Object.assign(process.env, ENVIRONMENT, KEYS, { AWS_MAX_ATTEMPTS: '', AWS_CONFIG_FILE }, stated);
      const strategy = await connected({ endpointUrl: url }, connection =>
        connection.client(LambdaClient).config.retryStrategy(),
      ).finally(() => {
        process.env = before;
      });
      expect(strategy).toBeInstanceOf(AdaptiveRetryStrategy);
      expect(strategy instanceof AdaptiveRetryStrategy && (await strategy.maxAttemptsProvider())).toBe(attempts);
      expect(strategy instanceof ThrottleRetries).toBe(attempts === 10);
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
      ['--endpoint-url', 'localhost:4566', 'It must be an http or https URL, for example http://127.0.0.1:4566.'],
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
});

describe('patient retries', () => {
  /** A retry strategy without delays, and a spy on its backoff. */
  function retries() {
    const reported: unknown[] = [];
    const rateLimiter = {
      getSendToken: () => Promise.resolve(),
      updateClientSendingRate: (response: unknown) => void reported.push(response),
    };
    const backoff = { setDelayBase: () => {}, computeNextBackoffDelay: () => 0 };
    return { reported, strategy: new ThrottleRetries({ rateLimiter, backoff }) };
  }

  /** Returns the number of attempts of a call that always fails with this kind of error. */
  async function attemptsAt(errorType: RetryErrorType): Promise<number> {
    const { strategy } = retries();
    let token = await strategy.acquireInitialRetryToken('sns');
    for (;;) {
      const attempts = token.getRetryCount() + 1;
      try {
        token = await strategy.refreshRetryTokenForRetry({ ...token, ...standard(token) }, { errorType });
      } catch {
        return attempts;
      }
    }
  }

  function standard(token: { getRetryCount(): number; getRetryDelay(): number }) {
    return {
      getRetryCount: () => token.getRetryCount(),
      getRetryDelay: () => token.getRetryDelay(),
      getRetryCost: () => undefined,
    };
  }

  test('asks ten times where AWS throttles, and no more than the SDK does for anything else', async () => {
    expect(await attemptsAt('THROTTLING')).toBe(MAX_THROTTLED_ATTEMPTS);
    expect(await attemptsAt('TRANSIENT')).toBe(3);
    expect(await attemptsAt('CLIENT_ERROR')).toBe(1);
  });

  test('sends more slowly once it is throttled', async () => {
    const { strategy, reported } = retries();
    const token = await strategy.acquireInitialRetryToken('sns');
    await strategy.refreshRetryTokenForRetry({ ...token, ...standard(token) }, { errorType: 'THROTTLING' });
    expect(reported).toEqual([{ errorType: 'THROTTLING' }]);
  });
});
