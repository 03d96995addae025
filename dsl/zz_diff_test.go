package dsl
import ("testing";"fmt";"strings";"math/rand";yaml3 "go.yaml.in/yaml/v3")
func conv3(n *yaml3.Node) string {
 var b strings.Builder
 switch n.Kind {
 case yaml3.DocumentNode: return conv3(n.Content[0])
 case yaml3.AliasNode: return conv3(n.Alias)
 case yaml3.ScalarNode:
   k:=String
   if n.Style&(yaml3.DoubleQuotedStyle|yaml3.SingleQuotedStyle|yaml3.LiteralStyle|yaml3.FoldedStyle)==0 {k=resolve(n.Value)}
   p:=fmt.Sprintf("@%d:%d",n.Line,n.Column)
   if k==Null&&n.Value=="" {p=""}
   return fmt.Sprintf("%d%q%s",k,n.Value,p)
 case yaml3.SequenceNode: b.WriteString("["); for _,c:=range n.Content{b.WriteString(conv3(c)+",")}; b.WriteString("]")
 case yaml3.MappingNode: b.WriteString("{"); for i:=0;i<len(n.Content);i+=2{b.WriteString(fmt.Sprintf("%q@%d:%d=%s,",n.Content[i].Value,n.Content[i].Line,n.Content[i].Column,conv3(n.Content[i+1])))}; b.WriteString("}")
 }
 return b.String()
}
func convV(v Value) string {
 var b strings.Builder
 switch v.Kind {
 case List: b.WriteString("["); for _,c:=range v.Items{b.WriteString(convV(c)+",")}; b.WriteString("]")
 case Map: b.WriteString("{"); for _,c:=range v.Fields{b.WriteString(fmt.Sprintf("%q@%d:%d=%s,",c.Key,c.Pos.Line,c.Pos.Col,convV(c.Value)))}; b.WriteString("}")
 default:
   p:=fmt.Sprintf("@%d:%d",v.Pos.Line,v.Pos.Col)
   if v.Kind==Null&&v.Text=="" {p=""}
   return fmt.Sprintf("%d%q%s",v.Kind,v.Text,p)
 }
 return b.String()
}
func TestDiff(t *testing.T){
 r:=rand.New(rand.NewSource(4))
 atoms:=[]string{"tap","a","steps","b c","é日","x","007","true","null","~","\"q\"","'s'","\"a\\nb\"","\"\\u00e9\\x41\"","''","\"\"","|\n","|-\n",">\n",">+\n","|2\n","- ","- ",": ",": ",":","\n","\n","\n","\n  ","\n  ","\n    ","\n      ","\n ","{","}","[","]",", ","# c","\n# c\n","\t"," ","  ","&a ","*a","---\n","'it''s'","\"x\n  y\"","-","?","? ","<<","\\","a: b","k: ","k2: ","k3: ","\n  - ","\n- ","\nk: ","\n  k: ", "\n    k4: ","${X}","50%","%","@","!","!!str ","...","\n...\n","http://x","a#b","\"","'"}
 kinds:=map[string]int{}
 for i:=0;i<600000;i++{
  var sb strings.Builder
  if r.Intn(2)==0 {sb.WriteString("k: ")}
  for j:=r.Intn(9)+1;j>0;j--{sb.WriteString(atoms[r.Intn(len(atoms))])}
  src:=sb.String()
  text,source,bad:=readable("x",[]byte(src))
  if bad!=nil{continue}
  vals,err:=read(text,source)
  var ours string
  if err!=nil{ours="ERR"} else {for _,v:=range vals{ours+=convV(v)+";"}}
  var theirs string
  dec:=yaml3.NewDecoder(strings.NewReader(src))
  for {
   var n yaml3.Node
   e:=dec.Decode(&n)
   if e!=nil{ if e.Error()!="EOF"{theirs="ERR "+e.Error()}; break}
   c:=conv3(&n)
   if c!=`0""` {theirs+=c+";"}
  }
  if strings.HasPrefix(theirs,"ERR")&&ours=="ERR"{continue}
  if ours==theirs{continue}
  kind:="value"
  if ours=="ERR"{kind="we refuse"} else if strings.HasPrefix(theirs,"ERR"){kind="they refuse"}
  kinds[kind]++
  if kinds[kind]<=25 && len(src)<40 {
   fmt.Printf("%s: %q\n   ours   %s\n   theirs %s\n",kind,src,ours,theirs)
   if err!=nil{fmt.Println("   ",strings.Split(err.Error(),"\n")[0])}
  }
 }
 fmt.Println(kinds)
}
