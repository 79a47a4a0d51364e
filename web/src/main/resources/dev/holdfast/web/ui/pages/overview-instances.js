// The instances that use this database.
import { h } from "../dom.js";
import { ago, seconds, spell } from "../time.js";

export function instances(/** @type {any[]} */ all) {
  const alive = all.filter((one) => one.alive).length;
  return h("section.panel", { key: "instances" },
    h("header", {}, h("h2", {}, "Instances"), h("span.muted.small", {}, `${alive} of ${all.length} alive`)),
    h("ul.rows", {}, all.map((one) => h("li.instance", { key: one.id, "data-alive": String(one.alive) },
      h("i.dot", {}),
      h("span.name.mono", {}, one.name),
      h("span.space", {}),
      h("span.muted.small", {}, one.alive
        ? h("span", { title: `lease expires in ${spell(seconds(one.leaseLeft))}` }, "started ", ago(one.since))
        : "lost; other instances recover its events")))));
}
