import type { AccessRequest } from '../../../local/kernel/access';
import { AccessRefused, AwsError } from '../../../local/kernel/aws-error';
import { administrator, type Caller } from '../../../local/kernel/caller';
import { Faults } from '../../../local/kernel/faults';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import {
  type Action,
  accessDenied,
  MissingResource,
  type Refused,
  RequestChecks,
  type Resource,
  type ServiceActions,
  ServiceApi,
} from '../../../local/kernel/service-api';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';

const ADMIN = administrator(EXAMPLE_PLACE.account);
const SHELF: Box = { arn: 'arn:aws:sqs:us-east-1:123456789012:shelf', policy: { Statement: [] }, holds: ['a', 'b'] };

interface Box extends Resource {
  readonly holds: readonly string[];
}

type BoxActions = {
  readonly Open: Action<{ readonly box: string }, readonly string[]>;
  readonly Knock: Action<object, string>;
};

/** A service with two actions, one that needs a permission and a box, and one that needs neither. */
class Boxes {
  readonly timeline = new Timeline(0);
  readonly trace = new Trace<Refused<'sqs'>>(this.timeline);
  readonly faults = new Faults(this.timeline);
  readonly asked: AccessRequest[] = [];
  readonly opened: string[] = [];
  allowed = true;

  private readonly actions: ServiceActions<Boxes, BoxActions> = {
    Open: {
      resourceOf: (_boxes, { box }): Box | MissingResource =>
        box === 'shelf'
          ? SHELF
          : new MissingResource(`arn:none:${box}`, new AwsError('NoSuchBox', `There is no ${box}.`, 404)),
      run: ({ opened }: Boxes, { input }: { input: { readonly box: string } }, { holds }: Box) => {
        opened.push(input.box);
        if (opened.length > 1) throw new AwsError('Open', 'The box is open.');
        return holds;
      },
    },
    Knock: { permission: null, run: () => 'who is there?' },
  };

  readonly checks = new RequestChecks(
    'sqs',
    {
      place: EXAMPLE_PLACE,
      trace: this.trace,
      faults: this.faults,
      access: {
        decide: request => {
          this.asked.push(request);
          return { allowed: this.allowed, reason: 'the policy says so' };
        },
      },
    },
    accessDenied(EXAMPLE_PLACE, 'Denied', 403),
  );

  readonly api = new ServiceApi<Boxes, BoxActions>(this.checks, this.actions, this);

  open(box = 'shelf', caller: Caller = ADMIN): readonly string[] {
    return this.api.call('Open', caller, { box });
  }

  /** What the trace has of the only refusal. */
  get refused(): unknown {
    expect(this.trace.events).toHaveLength(1);
    return this.trace.events[0];
  }
}

describe('the front door', () => {
  it('lets an action run on what it is about, for whoever may', () => {
    const boxes = new Boxes();
    expect(boxes.open()).toEqual(['a', 'b']);
    expect(boxes.asked).toEqual([
      { caller: ADMIN, action: 'sqs:Open', resource: SHELF.arn, resourcePolicy: SHELF.policy },
    ]);
    expect(boxes.trace.events).toEqual([]);
  });

  it('asks for no permission where an action takes none', () => {
    const boxes = new Boxes();
    boxes.allowed = false;
    expect(boxes.api.call('Knock', ADMIN, {})).toBe('who is there?');
    expect(boxes.asked).toEqual([]);
  });

  it('names the service and the action it does not have', () => {
    const boxes = new Boxes();
    expect(boxes.api.implements('Open')).toBe(true);
    for (const action of ['Close', 'toString']) {
      expect(boxes.api.implements(action)).toBe(false);
      expect(() => boxes.api.call(action as 'Knock', ADMIN, {})).toThrow(
        new AwsError(
          'NotImplemented',
          `The embedded AWS does not implement sqs:${action}. This is a limit of Dead Letter Office, and not an answer of AWS: see docs/simulated.md.`,
          501,
        ),
      );
    }
    expect(boxes.trace.events).toMatchObject([
      { type: 'sqs.refused', action: 'Close', resource: '*', code: 'NotImplemented' },
      { type: 'sqs.refused', action: 'toString', resource: '*' },
    ]);
  });

  it('answers the fault before anything else', () => {
    const boxes = new Boxes();
    boxes.allowed = false;
    boxes.faults.set({ service: 'sqs', resource: 'arn:none:cupboard' });
    expect(() => boxes.open('cupboard')).toThrow(expect.objectContaining({ code: 'ServiceUnavailable' }));
    expect(boxes.asked).toEqual([]);
    expect(boxes.refused).toMatchObject({ resource: 'arn:none:cupboard', code: 'ServiceUnavailable' });
  });

  it('says that something is not there before it asks who may', () => {
    const boxes = new Boxes();
    boxes.allowed = false;
    expect(() => boxes.open('cupboard')).toThrow(new AwsError('NoSuchBox', 'There is no cupboard.', 404));
    expect(boxes.asked).toEqual([]);
    expect(boxes.refused).toMatchObject({
      resource: 'arn:none:cupboard',
      code: 'NoSuchBox',
      reason: 'There is no cupboard.',
    });
  });

  it('tells whom it turns away what AWS tells them, and the trace the policy’s reason', () => {
    const boxes = new Boxes();
    boxes.allowed = false;
    const message = `User: arn:aws:iam::123456789012:root is not authorized to perform: sqs:Open on resource: ${SHELF.arn}`;
    expect(() => boxes.open()).toThrow(expect.objectContaining({ code: 'Denied', message, httpStatus: 403 }));
    expect(() => boxes.open()).toThrow(AccessRefused);
    expect(boxes.opened).toEqual([]);
    expect(boxes.trace.events[0]).toEqual({
      seq: 1,
      atMs: 0,
      type: 'sqs.refused',
      action: 'Open',
      resource: SHELF.arn,
      code: 'Denied',
      reason: 'the policy says so',
    });
  });

  it('writes down what the action itself refuses', () => {
    const boxes = new Boxes();
    boxes.open();
    expect(() => boxes.open()).toThrow('The box is open.');
    expect(boxes.refused).toMatchObject({
      action: 'Open',
      resource: SHELF.arn,
      code: 'Open',
      reason: 'The box is open.',
    });
  });

  it('does not take a bug of ours for a refusal', () => {
    const boxes = new Boxes();
    expect(() =>
      boxes.checks.recordingRefusals('Open', SHELF.arn, () => {
        throw new TypeError('a bug');
      }),
    ).toThrow(TypeError);
    expect(boxes.trace.events).toEqual([]);
  });

  it('admits to what is no API action under the same checks', () => {
    const boxes = new Boxes();
    boxes.checks.checkAll('Peek', 'sqs:Peek', ADMIN, SHELF);
    boxes.faults.set({ service: 'sqs', action: 'Peek' });
    expect(() => boxes.checks.checkAll('Peek', 'sqs:Peek', ADMIN, SHELF)).toThrow('a fault set by this scenario');
    expect(boxes.asked).toMatchObject([{ action: 'sqs:Peek', resource: SHELF.arn }]);
    expect(boxes.refused).toMatchObject({ action: 'Peek', code: 'ServiceUnavailable' });
  });
});
