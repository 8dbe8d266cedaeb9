SELECT a.id, b.name from rows a left join names b on a.id=b.id WHERE a.size>3 order by 2;
create table rows (id int primary key, size int not null);
