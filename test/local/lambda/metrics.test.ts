import { LambdaFixture } from './lambda-fixture';

/** Every invocation metric, and what it is measured under. */
const DIMENSIONS = ['FunctionName', 'FunctionName,Resource', 'FunctionName,Resource,ExecutedVersion', ''];

describe('metrics of functions (AWS/Lambda)', () => {
  let world: LambdaFixture;
  beforeEach(() => {
    world = new LambdaFixture();
    world.deploy('f', { code: 'exports.handler = async event => { if (event.fail) throw new Error("no"); };' });
    world.call('PublishVersion', { FunctionName: 'f' });
    world.call('CreateAlias', { FunctionName: 'f', Name: 'live', FunctionVersion: '1' });
  });
  afterEach(() => world.close());

  /** How often a metric was measured under each set of dimensions. */
  const counts = (metric: string) =>
    DIMENSIONS.map(names => world.measuredUnder(metric, ...names.split(',').filter(name => name !== '')).length);

  test.each([
    ['the function', 'f', [1, 0, 0, 1]],
    ['a version', 'f:1', [1, 1, 0, 1]],
    ['an alias, which tells the version that ran', 'f:live', [1, 1, 1, 1]],
  ])('are told for the name, for all functions, and for %s', async (_, name, expected) => {
    await world.invoke(name);
    for (const metric of ['Invocations', 'Errors', 'Duration']) expect(counts(metric)).toEqual(expected);
    expect(counts('ConcurrentExecutions')).toEqual([1, 0, 0, 1]);
  });

  test('name the resource as AWS does', async () => {
    await world.invoke('f:live');
    const dimensions = world.measured.filter(({ name }) => name === 'Invocations').map(it => it.dimensions);
    expect(dimensions).toEqual([
      { FunctionName: 'f' },
      { FunctionName: 'f', Resource: 'f:live' },
      {},
      { FunctionName: 'f', Resource: 'f:live', ExecutedVersion: '1' },
    ]);
  });

  test('count how many run at once, of the function and of all', async () => {
    const slow = 'exports.handler = async () => new Promise(resolve => setTimeout(resolve, 1000));';
    world.deploy('one', { code: slow });
    world.deploy('other', { code: slow });
    for (const name of ['one', 'one', 'other']) world.queue(name);
    await world.timeline.runUntilIdle();
    expect(world.measuredUnder('ConcurrentExecutions', 'FunctionName')).toEqual([1, 2, 1]);
    expect(world.measuredUnder('ConcurrentExecutions')).toEqual([1, 2, 3]);
  });

  test('of events are told for an alias, too', async () => {
    world.call('PutFunctionEventInvokeConfig', { FunctionName: 'f:live', MaximumRetryAttempts: 0 });
    world.queue('f:live', { fail: true });
    await world.timeline.runUntilIdle();
    for (const metric of ['AsyncEventsReceived', 'AsyncEventAge', 'AsyncEventsDropped']) {
      expect(counts(metric)).toEqual([1, 1, 0, 1]);
    }
    expect(world.measuredUnder('Errors', 'FunctionName')).toEqual([1]);
  });
});
