// GitHub's API with state, users, permissions and an app: `node github.mjs PORT BASE-URL`. BASE-URL is what its links
// begin with. Prints one line of JSON once it listens: {"jwt": …}, with which tokens of the app's installation are made.
import { createSign } from "node:crypto";
import { createEmulator } from "emulate";

const [port, baseUrl] = process.argv.slice(2);
const APP = 15368; // the number that the app of GITHUB_TOKEN has on github.com
const permissions = {
  actions: "read",
  checks: "write",
  contents: "read",
  issues: "write",
  metadata: "read",
  pull_requests: "write",
  statuses: "write",
};
const users = ["admin", "forker", "stranger"].map((login) => ({ login }));
const tokens = Object.fromEntries(users.map(({ login }) => [`token-of-${login}`, { login }]));
const github = await createEmulator({
  service: "github",
  port: Number(port),
  baseUrl,
  seed: {
    tokens,
    github: {
      users,
      apps: [
        {
          app_id: APP,
          slug: "github-actions",
          name: "GitHub Actions",
          permissions,
          installations: [{ installation_id: 100, account: "admin" }],
        },
      ],
    },
  },
});
const key = github.generatedSecrets.find((secret) => secret.kind === "github.app_private_key").value;
const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const told = `${part({ alg: "RS256", typ: "JWT" })}.${part({ iss: String(APP), iat: now - 60, exp: now + 86400 })}`;
const signature = createSign("RSA-SHA256").update(told).sign(key, "base64url");
console.log(JSON.stringify({ jwt: `${told}.${signature}` }));
