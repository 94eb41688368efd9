/** Whose deliveries are logged. */
export interface LoggedTopic {
  readonly region: string;
  readonly account: string;
  /** The topic's name; of text messages and pushes without a topic, what SNS logs them under. */
  readonly name: string;
}

/** The log groups SNS writes to. */
export interface StatusLogGroups {
  readonly success: string;
  readonly failure: string;
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib.html */
export function statusLogGroups({ region, account, name }: LoggedTopic): StatusLogGroups {
  const success = `sns/${region}/${account}/${name}`;
  return { success, failure: `${success}/Failure` };
}
