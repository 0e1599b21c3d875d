import puppeteer from "puppeteer-core";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { htmlPage } from "../cli/html/page.ts";
import { chromium, CHROMIUM_FLAGS } from "../docs/site/chromium.mjs";
import { largeTenant } from "../testkit/cli/pages.ts";
for (const share of [0.25, 1]) {
writeFileSync("/tmp/big.html", htmlPage("access", "Access", largeTenant({ roles: 200, groups: 60, people: 5000, share })));
const browser = await puppeteer.launch({ executablePath: await chromium(), headless: "shell", args: [...CHROMIUM_FLAGS] });
const root = browser.process().pid;
const cpu = () => { let t=0; for (const d of readdirSync("/proc")) { if(!/^\d+$/.test(d)) continue; try { const s=readFileSync(`/proc/${d}/cmdline","utf8`.replace('","utf8',''),"utf8"); if(!s.includes("--type=renderer")||!s.includes("chromium")) continue; const f=readFileSync(`/proc/${d}/stat`,"utf8").split(") ")[1].split(" "); const pp=Number(f[1]); t+=(Number(f[11])+Number(f[12]))*10; } catch {} } return t; };
const page = await browser.newPage(); await page.setViewport({width:1440,height:900});
const c = await page.createCDPSession(); await c.send("Performance.enable",{timeDomain:"threadTicks"});
const m = async () => Object.fromEntries((await c.send("Performance.getMetrics")).metrics.filter(x=>/Task|Layout|RecalcStyle|Script/.test(x.name)).map(x=>[x.name, Math.round(x.value*1000)]));
await page.goto("file:///tmp/big.html"); await page.evaluate("new Promise(d=>requestAnimationFrame(()=>setTimeout(d)))");
console.log(share, "ready", await m());
for (const text of ["billing","billing-team","prod","nothing at all",""]) { const a=await m(); await page.evaluate(`new Promise(d=>{const i=document.querySelector(".search"); i.value=${JSON.stringify(text)}; i.dispatchEvent(new Event("input",{bubbles:true})); requestAnimationFrame(()=>setTimeout(d));})`); const b=await m(); console.log(text, Object.fromEntries(Object.keys(b).map(k=>[k,b[k]-a[k]]))); }
await browser.close();
}
